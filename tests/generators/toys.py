"""Vocabularies of any size, for tests that don't care about the words."""

from collections.abc import Iterable

from generators.gallery import Bound
from vocab.benchmark_words import Attribute, Vocabulary


def toy_vocabulary(
    objects: int, attributes: int, look_alikes: Iterable[Iterable[int]] = (), forms: int = 1
) -> Vocabulary:
    """Return a vocabulary of thing0, thing1, ... and look0, look1, ..., each with so many forms."""
    names = tuple(f"thing{number}" for number in range(objects))
    groups = [frozenset(names[number] for number in group) for group in look_alikes]
    return Vocabulary(
        objects=names,
        attributes=tuple(toy_attribute(f"look{number}", forms) for number in range(attributes)),
        palette=(),
        confusable={
            name: frozenset().union(*(group for group in groups if name in group)) - {name}
            for name in names
        },
    )


def toy_attribute(name: str, forms: int) -> Attribute:
    looks = tuple(f"form{form} {name}" for form in range(forms)) if forms > 1 else (name,)
    return Attribute(name, "color", "standalone", looks)


def bound(*pairs: str) -> list[Bound]:
    """Return bindings from "red cube", "blue kite", ..."""
    return [(attribute, thing) for attribute, thing in (pair.split(" ", 1) for pair in pairs)]
