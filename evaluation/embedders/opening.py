"""Opens the embedder that a specification names: loaded, checked and cached as its kind needs.

Knows every kind by its prefix. Not where builds and runs are: what a baseline counts and where an
adapter lies is the caller's to say.
"""

import difflib
from collections.abc import Callable, Mapping
from pathlib import Path

from artifacts.errors import SettingsError
from artifacts.model_settings import EvaluationSettings
from artifacts.weights import is_packaged
from evaluation.embedders import efficientnet
from evaluation.embedders.adapters import Adapter, trained_name
from evaluation.embedders.baselines import BagOfWords, Constant, Random
from evaluation.embedders.cache import Cached
from evaluation.embedders.checks import Checked
from evaluation.embedders.embedder import Embedder
from evaluation.embedders.open_clip import load_open_clip
from evaluation.embedders.openai_endpoint import open_endpoint
from evaluation.embedders.sentence_transformer import load_adapted, load_sentence_transformer
from evaluation.embedders.vectors import load_vectors

#: What a caller says of a run that was trained: its adapter, LiNeS-scaled or not.
AdapterOf = Callable[[str, bool], Adapter]

#: Embedders with an argument: what opens them, and what the argument is.
_PREFIXES: dict[str, str] = {
    "st": "a sentence-transformers model, name or folder",
    "open-clip": "ARCHITECTURE/WEIGHTS",
    "openai": "the model's name",
    "vectors": "a Parquet file",
    "trained": "RUN or RUN/unscaled",
}
_NAMES = ("constant", "random", "bag-of-words", "bigrams", "minilm", efficientnet.NAME)
#: Embedders that read text as it is: nothing can be put before it.
_UNINSTRUCTED = frozenset(
    {"constant", "random", "bag-of-words", "bigrams", efficientnet.NAME, "vectors"}
)


def open_embedder(
    settings: EvaluationSettings,
    *,
    bigrams: Callable[[], Embedder] | None = None,
    adapter_of: AdapterOf | None = None,
    cache: Path | None = None,
) -> Embedder:
    """Return the embedder that `settings.embedder` names.

    `bigrams` makes the baseline that needs a build's vocabulary, `adapter_of` finds a trained run's
    adapter, `cache` is the folder where embeddings are kept: of models alone, since a baseline and
    a file are read as fast as the cache would be.
    """
    name, _, argument = settings.embedder.partition(":")
    baseline = _baseline(settings, bigrams)
    if baseline:
        return Checked(baseline, may_repeat=True)
    if name == "vectors" and argument:
        # Without --images nobody knows of two scenes that their pictures differ.
        stored = load_vectors(settings.embedder, Path(argument))
        return Checked(stored, sees_pictures=settings.images is not None)
    model = _model(settings, name, argument, adapter_of)
    if cache is None or not settings.cache:
        return Checked(model)
    # Within: nothing unsound is kept. Outside: pictures are compared with those kept before, too.
    return Checked(Cached(Checked(model, may_repeat=True), cache))


def takes_revision(embedder: str) -> bool:
    """Whether a revision of the settings says which weights the embedder has.

    It does of a name on the Hub and of a server's model. A folder and a package hold one, and a
    trained run's base is at what it was trained on.
    """
    kind, _, argument = embedder.partition(":")
    is_elsewhere = not is_packaged(argument) and not Path(argument).is_dir()
    return kind == "openai" or (kind == "st" and is_elsewhere)


def takes_instruction(embedder: str) -> bool:
    """Whether an instruction of the settings is put before the embedder's texts."""
    return embedder.partition(":")[0] not in _UNINSTRUCTED


def require_revision_taken(settings: EvaluationSettings) -> None:
    """Raise SettingsError where a revision is set of an embedder that has none to choose.

    For whoever names one embedder: settings that several share may hold what only some take.
    """
    if settings.revision is not None and not takes_revision(settings.embedder):
        raise SettingsError(
            f"evaluation.revision is {settings.revision!r}, but {settings.embedder} has no "
            "revision to choose: set none, or name a model on the Hub (st:NAME) or a server's "
            "(openai:MODEL)"
        )


def _baseline(
    settings: EvaluationSettings, bigrams: Callable[[], Embedder] | None
) -> Embedder | None:
    makers: Mapping[str, Callable[[], Embedder]] = {
        "constant": Constant,
        "random": lambda: Random(settings.seed),
        "bag-of-words": BagOfWords,
    }
    if settings.embedder == "bigrams":
        if bigrams is None:
            raise SettingsError("bigrams needs a build with a vocabulary, there is none here")
        return bigrams()
    maker = makers.get(settings.embedder)
    return maker() if maker else None


def _model(
    settings: EvaluationSettings, name: str, argument: str, adapter_of: AdapterOf | None
) -> Embedder:
    if settings.embedder == efficientnet.NAME:
        return efficientnet.load_efficientnet(settings)
    if is_packaged(settings.embedder):
        return load_sentence_transformer(settings, settings.embedder)
    if name not in _PREFIXES or not argument:
        raise _unknown(settings.embedder)
    if name == "st":
        return load_sentence_transformer(settings, argument)
    if name == "open-clip":
        return load_open_clip(settings, argument)
    if name == "openai":
        return open_endpoint(settings, argument)
    return load_adapted(settings, _adapter(settings.embedder, adapter_of))


def _adapter(embedder: str, adapter_of: AdapterOf | None) -> Adapter:
    named = trained_name(embedder)
    if named is None:
        raise SettingsError(f"expected {_PREFIXES['trained']} after trained:, found {embedder!r}")
    if adapter_of is None:
        raise SettingsError(f"{embedder} needs trained runs, there are none here")
    return adapter_of(named.run, named.scaled)


def _unknown(found: str) -> SettingsError:
    name, colon, _ = found.partition(":")
    if name in _PREFIXES:
        return SettingsError(f"expected {_PREFIXES[name]} after {name}:, found nothing")
    known = [*_NAMES, *(f"{prefix}:" for prefix in _PREFIXES)]
    near = difflib.get_close_matches(f"{name}{colon}", known, n=1)
    hint = f", near {near[0]!r}" if near else ""
    forms = ", ".join(f"{prefix}: ({what})" for prefix, what in _PREFIXES.items())
    return SettingsError(
        f"there is no embedder {found!r}{hint}; there are {', '.join(_NAMES)}; and {forms}"
    )
