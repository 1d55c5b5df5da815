"""Embedders that need no model: what a figure is worth is what it has over theirs.

Constant and random are chance. A bag of words knows which words a caption has. Bigrams know which
attribute stands right before which object, and solve the templated captions by that alone. Their
vectors depend on the input's content only. Knows nothing of questions and scores.
"""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from artifacts.errors import EmbeddingError
from artifacts.seeds import derive_seed
from artifacts.words import words_of
from evaluation.embedders.embedder import ImageInput, Modality, TextInput

#: Columns of a vector of words. So many that no two of a million words are likely to share one.
_WORD_COLUMNS = 2**48

_RANDOM_DIMENSIONS = 64

_TEXT: frozenset[Modality] = frozenset({"text"})

Form = tuple[str, ...]


class _NoModel:
    """What the baselines have in common: no weights, and nothing is put before a text."""

    revision: str | None = None
    instruction: str | None = None


class _TextOnly(_NoModel):
    """What those that read text have in common."""

    name: str
    modalities = _TEXT
    unit_length = False

    @property
    def identity(self) -> str:
        """The baseline's name: it has no weights."""
        return self.name

    def embed_images(self, images: Sequence[ImageInput]) -> NDArray[np.float32]:
        """Refuse: there is no text in a picture."""
        raise EmbeddingError(
            f"{self.name} embeds text, found {len(images)} picture(s); ask for t2t"
        )


class Constant(_TextOnly):
    """The same vector for every text. Not for pictures: there that is what a fault looks like."""

    name = "constant"
    unit_length = True

    def embed_texts(self, texts: Sequence[TextInput]) -> NDArray[np.float32]:
        """Return ones; shape [texts, 1]."""
        return np.ones((len(texts), 1), dtype=np.float32)


class Random(_NoModel):
    """A vector drawn for each content: one text has one vector, wherever it stands."""

    name = "random"
    modalities: frozenset[Modality] = frozenset({"text", "image"})
    unit_length = False

    def __init__(self, seed: int) -> None:
        self._seed = seed

    @property
    def identity(self) -> str:
        """The seed."""
        return f"random seed {self._seed}"

    def embed_texts(self, texts: Sequence[TextInput]) -> NDArray[np.float32]:
        """Return normal vectors; shape [texts, 64]."""
        return self._draw([text.text for text in texts])

    def embed_images(self, images: Sequence[ImageInput]) -> NDArray[np.float32]:
        """Return normal vectors; shape [images, 64]."""
        return self._draw([image.sha256 for image in images])

    def _draw(self, contents: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.empty((len(contents), _RANDOM_DIMENSIONS), dtype=np.float32)
        for row, content in enumerate(contents):
            rng = np.random.default_rng(derive_seed(self._seed, "random", content))
            vectors[row] = rng.standard_normal(_RANDOM_DIMENSIONS)
        return vectors


class BagOfWords(_TextOnly):
    """How often each word occurs, whatever its case; any text's words."""

    name = "bag-of-words"

    def embed_texts(self, texts: Sequence[TextInput]) -> csr_matrix:
        """Return counts; sparse, shape [texts, 2^48]: never to be made dense."""
        return _counts(
            ([_column(word) for word in _words(one.text)] for one in texts), _WORD_COLUMNS
        )


class Bigrams(_TextOnly):
    """How often each attribute stands right before each object."""

    name = "bigrams"

    def __init__(self, attributes: Collection[str], objects: Collection[str]) -> None:
        self._attributes = _numbered_forms(attributes)
        self._objects = _numbered_forms(objects)

    @property
    def identity(self) -> str:
        """A checksum of the vocabulary, which decides what is a pair and where it counts."""
        known = repr((sorted(self._attributes), sorted(self._objects)))
        return f"bigrams {hashlib.sha256(known.encode()).hexdigest()}"

    def embed_texts(self, texts: Sequence[TextInput]) -> csr_matrix:
        """Return counts; sparse, shape [texts, attributes x objects]."""
        columns = max(1, len(self._attributes) * len(self._objects))
        return _counts((self._pairs(one.text) for one in texts), columns)

    def _pairs(self, text: str) -> list[int]:
        """Return the pairs in `text` from left to right, the longest forms first, none overlapping.

        Punctuation between the two doesn't keep them apart, another word does.
        """
        words = _words(text)
        found, start = [], 0
        while start < len(words):
            pair = self._pair_at(words, start)
            if pair:
                found.append(pair[0])
            start = pair[1] if pair else start + 1
        return found

    def _pair_at(self, words: Form, start: int) -> tuple[int, int] | None:
        """Return the number of the pair that starts at a word, and where it ends."""
        for attribute, middle in _forms_at(words, start, self._attributes):
            for thing, end in _forms_at(words, middle, self._objects):
                return attribute * len(self._objects) + thing, end
        return None


def _numbered_forms(names: Iterable[str]) -> dict[Form, int]:
    """Number the forms in alphabetical order, the longest first."""
    forms = sorted({_words(name) for name in names} - {()}, key=lambda form: (-len(form), form))
    return {form: number for number, form in enumerate(forms)}


def _forms_at(words: Form, start: int, forms: dict[Form, int]) -> Iterator[tuple[int, int]]:
    """Yield the forms that start at a word, with their ends, the longest first."""
    longest = len(next(iter(forms), ()))
    for length in range(min(longest, len(words) - start), 0, -1):
        number = forms.get(words[start : start + length])
        if number is not None:
            yield number, start + length


def _words(text: str) -> Form:
    return tuple(words_of(text.casefold()))


@lru_cache(maxsize=2**16)
def _column(word: str) -> int:
    return derive_seed("word", word) % _WORD_COLUMNS


def _counts(rows: Iterable[list[int]], columns: int) -> csr_matrix:
    """Return how often each row holds each column."""
    data: list[int] = []
    indices: list[int] = []
    starts = [0]
    for row in rows:
        counted = Counter(row)
        indices += sorted(counted)
        data += [counted[column] for column in sorted(counted)]
        starts.append(len(indices))
    return csr_matrix(
        (np.array(data, dtype=np.float32), np.array(indices, dtype=np.int64), starts),
        shape=(len(starts) - 1, columns),
    )
