"""From a draft to an example: query, positive, two negatives and the rest of the orbit.

Draws nothing: everything random is in the plan. Judges nothing beyond what it cannot do without,
which is finding each core word once (section B.1, B.2). Knows nothing of files or of ledgers.
"""

from collections.abc import Iterator, Sequence

from artifacts.plans import Assembled, Draft, Pair, Plan, Violation
from generators.arrangements import Arrangement, find_orbit
from generators.constructions.base import Construction
from generators.core_words import find_core_words
from generators.templates import Template, cut, fill


def assemble(
    plan: Plan, draft: Draft, construction: Construction
) -> Assembled | tuple[Violation, ...]:
    """Return the example that `draft` makes under `plan`, or why it makes none.

    The positive is the member of the orbit that the plan drew, or the draft itself where it drew
    none; the negatives follow from it by the construction's moves. The orbit is complete either
    way, so that a draft is worth the same with and without counterbalance.
    """
    violations = tuple(_shape_violations(draft, construction))
    if violations:
        return violations
    words = find_core_words(draft)
    if isinstance(words, tuple):
        return words
    template = cut(draft.positive, words)
    orbit = find_orbit(construction.moves(plan))
    texts = tuple([fill(template, member) for member in orbit.members])
    drawn = 0 if plan.orbit_draw is None else plan.orbit_draw % len(texts)
    in_text_order = read_pairs(template, orbit.members[drawn])
    pairs = tuple(in_text_order[index] for index in plan.query_order)
    return Assembled(
        plan=plan,
        pairs=pairs,
        distractors=tuple(Pair(tuple(pair.attributes), pair.object) for pair in draft.distractors),
        query=write_query(pairs),
        positive=texts[drawn],
        negative_attribute=texts[orbit.attribute_moved[drawn]],
        negative_object=texts[orbit.object_moved[drawn]],
        draft=draft.positive,
        orbit=texts,
        kept_pair=None if plan.kept_pair is None else plan.query_order.index(plan.kept_pair),
    )


def _shape_violations(draft: Draft, construction: Construction) -> Iterator[Violation]:
    if len(draft.pairs) != construction.objects:
        found = f"{len(draft.pairs)} pairs reported, {construction.objects} expected"
        yield Violation("pair_count", found)
    for pair in draft.pairs:
        if len(pair.attributes) != construction.attributes_per_object:
            found = f"{pair.object!r} has {len(pair.attributes)} attributes"
            expected = f"{construction.attributes_per_object} expected"
            yield Violation("attribute_count", f"{found}, {expected}")


def read_pairs(template: Template, arrangement: Arrangement) -> tuple[Pair, ...]:
    """Return the pairs that an arrangement binds, in the order in which it mentions the objects."""
    *levels, objects = template.fillers
    return tuple(
        Pair(
            tuple(
                level[sources[slot]].name
                for level, sources in zip(levels, arrangement.attributes, strict=True)
            ),
            objects[source].name,
        )
        for slot, source in enumerate(arrangement.objects)
    )


def write_query(pairs: Sequence[Pair]) -> str:
    """Return the pairs as "A, B and C", without articles (section B.1)."""
    *phrases, last = [" ".join((*pair.attributes, pair.object)) for pair in pairs]
    return f"{', '.join(phrases)} and {last}" if phrases else last
