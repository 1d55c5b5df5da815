"""Rules about the draft as a text: printable, nothing of the prompt in it, its articles (B.4)."""

import re
from collections.abc import Iterator
from functools import cache

from artifacts.articles import indefinite
from artifacts.plans import Violation
from validators.evidence import Evidence
from validators.reading import Reading
from vocab.prompts import load_prompts

#: Marks that schemas, markup and broken encodings leave behind; no caption has a use for them.
LEAKED_MARKS = (
    "{", "}", "```", "</", "/>", "_", "|", "\\", "\ufffd", "[attribute", "[object", "<attribute",
    "<object", "caption:", "positive:", "negative:", "query:", "register:", "opener:", "attribute:",
    "object:", "attributes:", "objects:",
)  # fmt: skip
#: Phrases of a prompt, or of a model that talks about its task.
LEAKED_PHRASES = (
    "json", "as an ai", "language model", "sure here", "certainly here", "of course here",
    "here is the caption", "here is a caption", "here's the caption", "here's a caption",
    "here’s the caption", "here’s a caption", "distractor", "distractors", "construction type",
    "writing register", "word limit", "target length", "length band", "binding distance",
    "distance window", "avoid list", "ban list", "banned words", "hard negative", "hard negatives",
    "back-reference", "back-references", "pair swap", "attribute-object",
)  # fmt: skip

#: A placeholder in a label, once it is escaped.
_PLACEHOLDER = re.compile(r"\\\$\w+")
_ARTICLES = frozenset({"a", "an"})
#: Marks after which an "a" is no article of the next word: "grade A. Orange crates".
_PAUSE = re.compile(r"[.!?;:,…)\]]")


def printable(evidence: Evidence) -> Iterator[Violation]:
    """A caption is one line of printable characters without space around it."""
    text = evidence.example.draft
    if not text.isprintable():
        found = next(character for character in text if not character.isprintable())
        yield Violation("printable", f"the draft holds {found!r}")
    if text != text.strip() or not text:
        yield Violation("printable", "the draft is empty or has space around it")


def prompt_leak(evidence: Evidence) -> Iterator[Violation]:
    """Nothing of the prompt, its schema or the model's own talk is in the caption."""
    text = evidence.example.draft.casefold()
    spoken = f" {' '.join(evidence.draft.words)} "
    for mark in LEAKED_MARKS:
        if mark in text:
            yield Violation("prompt_leak", f"the draft holds {mark!r}")
    for phrase in LEAKED_PHRASES:
        if f" {phrase} " in spoken:
            yield Violation("prompt_leak", f"the draft holds {phrase!r}")
    label = _label_pattern().search(evidence.example.draft)
    if label:
        yield Violation("prompt_leak", f"the draft holds {label[0]!r}")


@cache
def _label_pattern() -> re.Pattern[str]:
    """Return what finds a label of any prompt: written as there, or in any case at the beginning.

    An echo is literal; "in this order: a red tunic" and "the setting: a pier" are prose.
    """
    labels = (_PLACEHOLDER.sub(r"\\S+", re.escape(label)) for label in load_prompts().labels)
    names = "|".join(sorted(labels, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{names}):|^\W*(?i:{names}):")


def article_agreement(evidence: Evidence) -> Iterator[Violation]:
    """An a/an error in a text must have been in the draft: a permutation brings none."""
    known = find_article_errors(evidence.draft)
    for caption in evidence.captions:
        for error in find_article_errors(caption.reading):
            if error not in known:
                yield Violation("article_agreement", f"{error!r} in the {caption.name}")


def find_article_errors(reading: Reading) -> list[str]:
    """Return every article that doesn't fit the next word, as "a envelope", case folded."""
    words, last = reading.words, len(reading.words) - 1
    return [
        f"{words[place]} {words[place + 1]}"
        for place in [place for place, word in enumerate(words) if word in _ARTICLES]
        if place < last
        and words[place] != _article_of(reading, place + 1)
        and not _PAUSE.search(reading.gaps[place + 1])
    ]


def _article_of(reading: Reading, place: int) -> str:
    # In a caption all in capitals, capitals don't make an initialism of a word.
    shouted = reading.text.isupper()
    return indefinite(reading.words[place] if shouted else reading.written[place])
