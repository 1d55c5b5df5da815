"""Rules on how the negatives differ from the positive: just the intended words, and nothing else.

A rule returns what is wrong with an example, or None. They go by the places of words alone; how a
text expresses its bindings is for the construction's own rules.
"""

from collections.abc import Iterator

from validators.dataset.case import Case, Move, core_words, fold, one_article
from validators.dataset.layout import Layout, frame, starts_sentence


def negatives_permute_the_words(case: Case) -> str | None:
    """Each negative has the positive's words, a and an being one."""
    bag = sorted(one_article(case.positive.words))
    for caption in case.captions[1:]:
        if sorted(one_article(caption.words)) != bag:
            return f"{caption.name} has other words: {caption.text!r}"
    return None


def captions_differ(case: Case) -> str | None:
    """The positive and both negatives differ by more than case and articles."""
    positive, attribute, other = (one_article(caption.words) for caption in case.captions)
    if attribute == positive:
        return "negative_attribute is the positive"
    if other == positive:
        return "negative_object is the positive"
    return "the negatives are the same" if attribute == other else None


def frame_stays(case: Case) -> str | None:
    """Around core words and their articles, the negatives are the positive to the character."""
    expected = frame(case.positive)
    for caption in case.captions[1:]:
        if frame(caption) != expected:
            return f"{caption.name} differs beyond its core words: {caption.text!r}"
    return None


def core_words_keep_their_case(case: Case) -> str | None:
    """A core word is written as in `pairs`, with a capital where it begins a sentence.

    A caption in title case or capitals keeps that.
    """
    names = {
        fold(word): word for pair in case.row.pairs for word in (*pair.attributes, pair.object)
    }
    positive = {place.word: case.positive.written(place) for place in case.positive.places}
    is_styled = all(word[0].isupper() for word in positive.values())
    for caption in case.captions:
        for place in caption.places:
            written = caption.written(place)
            allowed = {names[place.word]} | ({positive[place.word]} if is_styled else set())
            if starts_sentence(caption, place):
                allowed |= {word[0].upper() + word[1:] for word in allowed}
            if written not in allowed:
                return f"{written!r} in {caption.name}, expected {' or '.join(sorted(allowed))}"
    return None


def attribute_negative_moves_attributes_only(case: Case) -> str | None:
    """In the attribute negative, objects stay and attributes move."""
    return _moves_only(case, case.negative_attribute, objects_move=False)


def object_negative_moves_objects_only(case: Case) -> str | None:
    """In the object negative, attributes stay and objects move."""
    return _moves_only(case, case.negative_object, objects_move=True)


def just_the_intended_words_move(case: Case) -> str | None:
    """Every word moves but those of the kept pair, and the attributes of the slot not swapped."""
    stay_attributes, stay_objects = _meant_to_stay(case)
    for caption, found, expected in (
        (case.negative_attribute, _stayed(case, case.attribute_move), stay_attributes),
        (case.negative_object, _stayed(case, case.object_move, objects=True), stay_objects),
    ):
        if found != expected:
            return f"{sorted(found)} stay in {caption.name}, expected {sorted(expected)}"
    return None


def three_pairs_rotate_alike(case: Case) -> str | None:
    """Where all of three pairs are broken, both negatives rotate the same way."""
    row = case.row
    if len(row.pairs) != 3 or row.kept_pair is not None:
        return None
    attributes, objects = case.attribute_move, case.object_move
    if attributes == objects and set(attributes) == {0, 1, 2}:
        return None
    return f"attributes come from {list(attributes)}, objects from {list(objects)}"


def described_first_as_the_text(case: Case) -> str | None:
    """`described_first` is the mention of the object whose attribute comes first."""
    stated = case.row.described_first
    if stated is None:
        return None
    first = case.positive.attributes[0]
    described = next(
        fold(pair.object) for pair in case.row.pairs if fold(pair.attributes[0]) == first
    )
    mention = case.positive.objects.index(described)
    return None if stated == mention else f"described_first is {stated}, the text has {mention}"


def _moves_only(case: Case, caption: Layout, *, objects_move: bool) -> str | None:
    positive = case.positive
    objects_moved = caption.objects != positive.objects
    attributes_moved = caption.attributes != positive.attributes
    if (attributes_moved, objects_moved) == (not objects_move, objects_move):
        return None
    moved = [
        kind
        for kind, is_moved in (("attributes", attributes_moved), ("objects", objects_moved))
        if is_moved
    ]
    return f"{' and '.join(moved) or 'nothing'} moved in {caption.name}"


def _stayed(case: Case, move: Move, *, objects: bool = False) -> set[str]:
    words = case.positive.objects if objects else case.positive.attributes
    return {words[place] for place, source in enumerate(move) if place == source}


def _meant_to_stay(case: Case) -> tuple[set[str], set[str]]:
    kept = case.row.kept_pair
    stay = [pair for number, pair in enumerate(case.row.pairs) if number == kept]
    attributes, objects = map(set, core_words(stay))
    attributes.update(_unswapped(case))
    return attributes, objects


def _unswapped(case: Case) -> Iterator[str]:
    swapped = case.row.swapped_slot
    for pair in case.row.pairs:
        for slot, attribute in enumerate(pair.attributes):
            if swapped is not None and slot != swapped:
                yield fold(attribute)
