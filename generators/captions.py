"""Captions of a scene: a conjunction of its pairs, in text form and in generation form (A.3).

Knows how pairs become English; not where the pairs or their instantiations come from.
"""

from collections.abc import Iterable, Sequence

from artifacts.articles import indefinite


def caption(phrases: Iterable[str]) -> str:
    """Return "A striped cube, a transparent kite and an open umbrella." for the noun phrases.

    One comma style throughout: commas between phrases, none before "and", a final full stop.
    """
    joined = join_phrases([with_article(phrase) for phrase in phrases])
    return f"{joined[0].upper()}{joined[1:]}."


def with_article(phrase: str) -> str:
    """Return "a striped cube" or "an open umbrella"."""
    return f"{indefinite(first_word(phrase))} {phrase}"


def join_phrases(phrases: Sequence[str]) -> str:
    """Return "A", "A and B" or "A, B and C"."""
    if len(phrases) < 2:
        return "".join(phrases)
    return f"{', '.join(phrases[:-1])} and {phrases[-1]}"


def first_word(phrase: str) -> str:
    """Return what decides the article: everything before the first space."""
    return phrase.split(" ", 1)[0]
