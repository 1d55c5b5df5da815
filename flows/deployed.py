"""The flows as they are deployed: their parameters are names and paths, and nothing else.

Each reads the settings on the machine where it runs, as a command would, and does what the flow of
the same name does. The descriptions here are those of Prefect's own form. Every run is a process
that imports this module, and then what its flow needs and no more.
"""

import tempfile
from pathlib import Path

from artifacts.errors import SettingsError
from flows.commands.options import settings_of
from flows.orchestration import flow
from flows.settings import Settings

#: How a process worker calls the folder that it makes for a run, and removes after it.
_TEMPORARY = "prefect"


def _settings_here(
    file: Path | None,
    root: Path | None = None,
    build: str | None = None,
    **stages: dict[str, object],
) -> Settings:
    """Read the settings; raises SettingsError where the build would go with the run's folder."""
    chosen = settings_of(file, root, build, **stages)
    here = Path.cwd()
    is_removed = here.name.endswith(_TEMPORARY) and here.parent == Path(tempfile.gettempdir())
    if is_removed and not chosen.root.is_absolute():
        raise SettingsError(
            f"root: expected an absolute path, found {chosen.root}: this worker runs flows in "
            f"{here} and removes it afterwards; start it with SABER_ROOT and, for a settings file, "
            "SABER_SETTINGS set to absolute paths"
        )
    return chosen


@flow(name="benchmark", persist_result=False)
def benchmark(
    build: str | None = None,
    force: bool = False,
    root: Path | None = None,
    settings: Path | None = None,
) -> None:
    """Build the SABER benchmark and check it. Does nothing where it is there already.

    Args:
        build: Name of the build. None: the one that the settings name.
        force: Replace what the build holds, whatever its settings.
        root: Folder in which builds live. None: the one that the settings name.
        settings: A settings file. None: saber.toml where the worker runs, if it is there.
    """
    from flows.benchmark import benchmark_flow

    chosen = _settings_here(settings, root, build)
    benchmark_flow.fn(chosen.root, chosen.build, chosen.benchmark, force)


@flow(name="dataset", persist_result=False)
def dataset(
    build: str | None = None,
    quota: int | None = None,
    force: bool = False,
    root: Path | None = None,
    settings: Path | None = None,
) -> None:
    """Build the binding text dataset, or continue it where it stopped.

    Args:
        build: Name of the build. None: the one that the settings name.
        quota: Examples of every construction. None: what the settings say.
        force: Replace what the build holds, whatever its settings.
        root: Folder in which builds live. None: the one that the settings name.
        settings: A settings file. None: saber.toml where the worker runs, if it is there.
    """
    from flows.dataset import dataset_flow

    chosen = _settings_here(settings, root, build, dataset={"quota": quota})
    dataset_flow.fn(chosen.root, chosen.build, chosen.dataset, force)


@flow(name="pipeline", persist_result=False)
def pipeline(
    build: str | None = None,
    quota: int | None = None,
    force: bool = False,
    root: Path | None = None,
    settings: Path | None = None,
) -> None:
    """Build benchmark and dataset, check both, train on the dataset, and score on the benchmark.

    Args:
        build: Name of the build. None: the one that the settings name.
        quota: Examples of every construction. None: what the settings say.
        force: Replace what the build holds, whatever its settings.
        root: Folder in which builds live. None: the one that the settings name.
        settings: A settings file. None: saber.toml where the worker runs, if it is there.
    """
    from flows.pipeline import pipeline_flow
    from flows.stages.auditing import require_gates

    chosen = _settings_here(settings, root, build, dataset={"quota": quota})
    done = pipeline_flow.fn(chosen, force)
    if done.audit:
        require_gates(done.audit)


@flow(name="training", persist_result=False)
def training(
    run: str | None = None,
    build: str | None = None,
    force: bool = False,
    root: Path | None = None,
    settings: Path | None = None,
) -> None:
    """Finetune an embedder on the triplets of a build. Goes on where it stopped.

    Args:
        run: Name of the run. None: the one that the settings name.
        build: Name of the build. None: the one that the settings name.
        force: Replace the run that the build holds, whatever its settings.
        root: Folder in which builds live. None: the one that the settings name.
        settings: A settings file. None: saber.toml where the worker runs, if it is there.
    """
    from flows.training import training_flow

    chosen = _settings_here(settings, root, build, training={"run": run})
    training_flow.fn(chosen.root, chosen.build, chosen.training, force)


@flow(name="evaluation", persist_result=False)
def evaluation(
    embedder: str | None = None,
    build: str | None = None,
    force: bool = False,
    root: Path | None = None,
    settings: Path | None = None,
) -> None:
    """Score an embedder on SABER and on held-out triplets, and report on all that were.

    Args:
        embedder: What to score, such as bag-of-words, minilm or trained:RUN. None: as in settings.
        build: Name of the build. None: the one that the settings name.
        force: Replace the run that the build holds, whatever its settings.
        root: Folder in which builds live. None: the one that the settings name.
        settings: A settings file. None: saber.toml where the worker runs, if it is there.
    """
    from flows.evaluation import evaluation_flow

    chosen = _settings_here(settings, root, build, evaluation={"embedder": embedder})
    evaluation_flow.fn(chosen.root, chosen.build, chosen.evaluation, force)


@flow(name="repair", persist_result=False)
def repair(
    build: str | None = None, root: Path | None = None, settings: Path | None = None
) -> None:
    """Find shards of a build that are missing, short, corrupt or failed, and rebuild just those.

    Args:
        build: Name of the build. None: the one that the settings name.
        root: Folder in which builds live. None: the one that the settings name.
        settings: A settings file. None: saber.toml where the worker runs, if it is there.
    """
    from flows.repair import repair_flow

    chosen = _settings_here(settings, root, build)
    repair_flow.fn(chosen.root, chosen.build, chosen.dataset, chosen.benchmark)


@flow(name="rejudge", persist_result=False)
def rejudge(
    build: str | None = None, root: Path | None = None, settings: Path | None = None
) -> None:
    """Apply changed rules to the stored plans and drafts of a build. Writes no new draft.

    Args:
        build: Name of the build. None: the one that the settings name.
        root: Folder in which builds live. None: the one that the settings name.
        settings: A settings file. None: saber.toml where the worker runs, if it is there.
    """
    from flows.repair import rejudge_flow

    chosen = _settings_here(settings, root, build)
    rejudge_flow.fn(chosen.root, chosen.build, chosen.dataset)


@flow(name="nightly", persist_result=False)
def nightly(
    build: str | None = None, root: Path | None = None, settings: Path | None = None
) -> None:
    """Validate finished builds from their bytes up, and repair what failed.

    Args:
        build: Name of the only build to validate. None: every build.
        root: Folder in which builds live. None: the one that the settings name.
        settings: A settings file. None: saber.toml where the worker runs, if it is there.
    """
    from flows.nightly import nightly_flow

    chosen = _settings_here(settings, root)
    nightly_flow.fn(chosen.root, build, chosen.dataset)
