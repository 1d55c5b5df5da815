"""`saber rerun-failed` and `saber rejudge`: shards made again from what is stored."""

from flows.commands.options import (
    BuildOption,
    JsonOption,
    QuietOption,
    RootOption,
    SettingsOption,
    build_of,
    settings_of,
)
from flows.commands.reports import print_json, print_rows


def rerun_failed(
    root: RootOption = None,
    build: BuildOption = None,
    settings: SettingsOption = None,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Find shards that are missing, short, corrupt or fail validation, and rebuild just those.

    A shard is made again from the attempt log, or by the writer where it repeats itself; whatever
    is whole is not touched. Where a shard and its drafts are both gone, its rows leave the build
    and new attempts take their place. A benchmark's lost manifest is made again if the settings
    give just the tables that are there. Exits 1 where something is lacking still: of a dataset that
    is unfinished it says which command goes on with it.
    """
    from flows.orchestration import short_runs
    from flows.progress import showing_progress
    from flows.repair import repair_flow
    from flows.stages.unfinished import require_dataset, why_no_dataset

    chosen = settings_of(settings, root, build)
    with showing_progress(quiet=quiet), short_runs():
        repairs = repair_flow(chosen.root, chosen.build, chosen.dataset, chosen.benchmark)
    repaired = build_of(chosen)
    has_dataset = repaired.dataset.is_dir()
    if json:
        why = why_no_dataset(repaired) if has_dataset else ""
        print_json({"repairs": repairs, "unfinished": why or None})
    elif repairs:
        rows = [{"file": r.name, "found": r.state, "done": r.action} for r in repairs]
        print_rows(f"{len(repairs)} file{'s' if len(repairs) > 1 else ''} repaired", rows)
    else:
        print("nothing to do: every file is whole")
    if has_dataset:
        require_dataset(repaired)


def rejudge(
    root: RootOption = None,
    build: BuildOption = None,
    settings: SettingsOption = None,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Apply changed rules to the stored plans and drafts, without one new draft.

    Run `saber dataset` afterwards to fill a quota that the new rules left short.
    """
    from flows.orchestration import short_runs
    from flows.progress import showing_progress
    from flows.repair import rejudge_flow

    chosen = settings_of(settings, root, build)
    with showing_progress(quiet=quiet), short_runs():
        rejudged = rejudge_flow(chosen.root, chosen.build, chosen.dataset)
    if json:
        print_json({"constructions": rejudged})
        return
    print_rows(
        "accepted by the rules as they are now",
        [
            {
                "construction": stream.construction,
                "before": stream.accepted_before,
                "now": stream.accepted,
                "attempts judged": stream.settled,
            }
            for stream in rejudged
        ],
    )
    if any(stream.accepted < stream.accepted_before for stream in rejudged):
        print("some quotas are short now: `saber dataset` fills them")
