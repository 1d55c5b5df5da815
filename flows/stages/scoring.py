"""What an embedder can be scored on, and the figures of it: pairings, captions, triplets.

Knows SABER and embedders; not where an embedder comes from, nor where figures are stored.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from artifacts.builds import Build
from artifacts.errors import SettingsError
from artifacts.files import sha256_of
from artifacts.model_settings import EvaluationSettings
from artifacts.records import Outcome, Pairing, Result
from evaluation.embedders.embedder import Embedder, ImageInput, Modality, TextInput, Vectors
from evaluation.held_out import read_parts, score_part
from evaluation.pictures import Pictures
from evaluation.recording import (
    SCATTERED,
    Label,
    question_outcomes,
    question_results,
    triplet_outcomes,
    triplet_results,
)
from evaluation.saber import Saber, Scenes, restricted
from evaluation.scoring import score_pairing
from flows.progress import Progress

#: Modality of the query and of the gallery.
_PAIRINGS: dict[Pairing, tuple[Modality, Modality]] = {
    "t2t": ("text", "text"),
    "t2i": ("text", "image"),
    "i2t": ("image", "text"),
    "i2i": ("image", "image"),
}


@dataclass(slots=True)
class Figures:
    """The figures of one run, as they are found."""

    run: str
    model: str
    results: list[Result] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Asked:
    """What one pairing was asked: all of the benchmark, or what there are pictures of."""

    pairing: Pairing
    questions: int
    #: Of the benchmark.
    of_questions: int
    gallery: int
    of_gallery: int
    #: That were looked at.
    pictures: int


@dataclass(frozen=True, slots=True)
class Sources:
    """Where an embedder's inputs come from."""

    #: None: text alone.
    pictures: Pictures | None
    #: Vectors made elsewhere, found by scene: no text but the captions has any, and no picture is
    #: needed.
    stored: bool

    @property
    def has_images(self) -> bool:
        """Whether there is anything to show an embedder of images."""
        return self.stored or self.pictures is not None


def possible_pairings(modalities: Collection[Modality]) -> list[Pairing]:
    """Return the pairings of which both sides are among the modalities."""
    return [pairing for pairing, sides in _PAIRINGS.items() if set(sides) <= set(modalities)]


def looks_at_pictures(pairing: Pairing) -> bool:
    """Whether a side of the pairing is pictures."""
    return "image" in _PAIRINGS[pairing]


def pairings_of(
    embedder: Embedder, sources: Sources, settings: EvaluationSettings
) -> list[Pairing]:
    """Return the pairings to score; raises SettingsError for one that can't be, or if none can."""
    there = {each for each in embedder.modalities if each == "text" or sources.has_images}
    possible = possible_pairings(there)
    wanted = settings.pairings or possible
    lacking = [pairing for pairing in wanted if pairing not in possible]
    if lacking or not wanted:
        pictures = "there are pictures" if sources.has_images else "there are no pictures"
        refused = f", not {', '.join(lacking)}" if lacking else ""
        raise SettingsError(
            f"{embedder.name} embeds {' and '.join(sorted(embedder.modalities))}, and {pictures}: "
            f"it can do {', '.join(possible) or 'no pairing'}{refused}; name a folder of pictures "
            "with --images, or other pairings"
        )
    return list(wanted)


def score_saber(
    figures: Figures,
    saber: Saber,
    embedder: Embedder,
    settings: EvaluationSettings,
    sources: Sources,
    progress: Progress,
) -> list[Asked]:
    """Add the figures of every pairing, and of those with text on the scattered captions, too.

    Returns what was asked. All pairings are asked the same, so that one can be told from another.
    """
    pairings = pairings_of(embedder, sources, settings)
    asked = _with_pictures(saber, sources, pairings, progress)
    shown = _Shown(asked, embedder, sources, progress)
    _score(figures, shown, pairings)
    told_apart = settings.scattered and not sources.stored and asked.queries.scattered is not None
    if told_apart:
        with_text = [pairing for pairing in pairings if "text" in _PAIRINGS[pairing]]
        _score(figures, shown, with_text, SCATTERED)
    return [_asked(pairing, asked, saber, sources) for pairing in pairings]


def score_triplets(
    figures: Figures,
    build: Build,
    embedder: Embedder,
    settings: EvaluationSettings,
    progress: Progress,
) -> None:
    """Add the accuracy on the test split and on each held-out construction."""
    for part in read_parts(build, settings.triplets, settings.seed):
        progress.step(f"scoring {len(part.triplets):,} triplets of {part.name}")
        credit = score_part(embedder, part)
        items = [triplet.item for triplet in part.triplets]
        figures.results += triplet_results(figures.run, figures.model, part.name, credit)
        figures.outcomes += triplet_outcomes(figures.run, figures.model, part.name, items, credit)


class _Shown:
    """Scenes as an embedder sees them; each side is embedded once, whatever asks for it."""

    def __init__(
        self, saber: Saber, embedder: Embedder, sources: Sources, progress: Progress
    ) -> None:
        self.saber = saber
        self._embedder = embedder
        self._sources = sources
        self._progress = progress
        self._known: dict[tuple[str, Modality, str], Vectors] = {}

    def queries(self, modality: Modality, prefix: str) -> Vectors:
        """Return the vectors of the scenes that ask; shape [Q, D]."""
        return self._vectors("queries", self.saber.queries, modality, prefix)

    def gallery(self, modality: Modality, prefix: str) -> Vectors:
        """Return the vectors of all candidates; shape [G, D]."""
        return self._vectors("candidates", self.saber.gallery, modality, prefix)

    def _vectors(self, side: str, scenes: Scenes, modality: Modality, prefix: str) -> Vectors:
        key = (side, modality, prefix if modality == "text" else "")
        if key not in self._known:
            what = "pictures" if modality == "image" else f"{prefix.replace('_', ' ')}captions"
            self._progress.step(f"embedding the {what} of {len(scenes.ids):,} {side}")
            self._known[key] = self._embed(scenes, modality, prefix)
        return self._known[key]

    def _embed(self, scenes: Scenes, modality: Modality, prefix: str) -> Vectors:
        if modality == "image":
            return self._embedder.embed_images([self._picture(each) for each in scenes.ids])
        texts = scenes.scattered if prefix else scenes.texts
        inputs = [TextInput(*each) for each in zip(scenes.ids, texts or (), strict=True)]
        return self._embedder.embed_texts(inputs)

    def _picture(self, scene_id: str) -> ImageInput:
        if self._sources.pictures is not None:
            return self._sources.pictures[scene_id]
        return ImageInput(scene_id, Path(scene_id), sha256_of(scene_id.encode()))


def _score(figures: Figures, shown: _Shown, pairings: list[Pairing], prefix: str = "") -> None:
    for pairing in pairings:
        query, gallery = _PAIRINGS[pairing]
        vectors = shown.queries(query, prefix), shown.gallery(gallery, prefix)
        scores = score_pairing(shown.saber, *vectors)
        label = Label(figures.run, figures.model, pairing)
        figures.results += question_results(label, shown.saber.questions, scores, prefix)
        figures.outcomes += question_outcomes(label, shown.saber.questions, scores, prefix)


def _asked(pairing: Pairing, asked: Saber, saber: Saber, sources: Sources) -> Asked:
    sides = zip(_PAIRINGS[pairing], (asked.queries, asked.gallery), strict=True)
    seen = {scene for modality, scenes in sides if modality == "image" for scene in scenes.ids}
    return Asked(
        pairing=pairing,
        questions=len(asked.questions.ids),
        of_questions=len(saber.questions.ids),
        gallery=len(asked.gallery.ids),
        of_gallery=len(saber.gallery.ids),
        pictures=len(seen) if sources.pictures is not None else 0,
    )


def _with_pictures(
    saber: Saber, sources: Sources, pairings: list[Pairing], progress: Progress
) -> Saber:
    """Return what can be asked: all, or where pictures are looked at, what has its five."""
    if sources.pictures is None or not any(map(looks_at_pictures, pairings)):
        return saber
    has_query, has_gallery = (_has(sources.pictures, s) for s in (saber.queries, saber.gallery))
    if has_query.all() and has_gallery.all():
        return saber
    asked = restricted(saber, has_query, has_gallery)
    progress.step(
        f"{int(has_query.sum() + has_gallery.sum()):,} of {len(has_query) + len(has_gallery):,} "
        f"scenes have a picture: {len(asked.questions.ids):,} of {len(has_query):,} questions can "
        f"be asked, over a gallery of {len(asked.gallery.ids):,}"
    )
    return asked


def _has(pictures: Pictures, scenes: Scenes) -> NDArray[np.bool_]:
    return np.array([scene_id in pictures for scene_id in scenes.ids])
