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
from evaluation.embedders.adapters import Adapter
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
_UNSCALED = "unscaled"


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
        return Checked(load_vectors(settings.embedder, Path(argument)))
    model = _model(settings, name, argument, adapter_of)
    if cache is None or not settings.cache:
        return Checked(model)
    # Within: nothing unsound is kept. Outside: pictures are compared with those kept before, too.
    return Checked(Cached(Checked(model, may_repeat=True), cache))


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
    return load_adapted(settings, _adapter(argument, adapter_of))


def _adapter(argument: str, adapter_of: AdapterOf | None) -> Adapter:
    run, _, form = argument.partition("/")
    if form not in ("", _UNSCALED):
        raise SettingsError(
            f"embedder expects trained:RUN or trained:RUN/{_UNSCALED}, found {argument!r}"
        )
    if adapter_of is None:
        raise SettingsError(f"trained:{argument} needs trained runs, there are none here")
    return adapter_of(run, form != _UNSCALED)


def _unknown(found: str) -> SettingsError:
    name, colon, _ = found.partition(":")
    known = [*_NAMES, *(f"{prefix}:" for prefix in _PREFIXES)]
    near = difflib.get_close_matches(f"{name}{colon}", known, n=1)
    hint = f", near {near[0]!r}" if near else ""
    forms = ", ".join(f"{prefix}: ({what})" for prefix, what in _PREFIXES.items())
    return SettingsError(
        f"there is no embedder {found!r}{hint}; there are {', '.join(_NAMES)}; and {forms}"
    )
