"""Rules on what a row says of its pairs: query, words, families, and the columns of its draws.

A rule returns what is wrong with an example, or None. None of these needs to know where words
stand.
"""

from artifacts.plans import Pair
from artifacts.words import words_of
from validators.dataset.case import Case, core_words, fold

#: Most further pairs that a text may weave in (section B.3).
_MAX_DISTRACTORS = 3
#: Columns that one construction alone draws: which, and the first value that it can't have.
_DRAWN_COLUMNS = {
    "kept_pair": ("triple_bind_swap", 3),
    "swapped_slot": ("attr_bundle", 2),
    "described_first": ("deferred_bind_anaphoric", 2),
}


def pairs_fit_the_construction(case: Case) -> str | None:
    """There are as many pairs, and attributes to each, as the construction has."""
    found = [len(pair.attributes) for pair in case.row.pairs]
    expected = [case.shape.attributes_per_object] * case.shape.objects
    return None if found == expected else f"attributes per object {found}, expected {expected}"


def attributes_are_single_words(case: Case) -> str | None:
    """An attribute is one word; an object may be several."""
    words = [word for pair in case.row.pairs for word in pair.attributes]
    wrong = [word for word in words if words_of(word) != [word]]
    return f"no single word: {', '.join(map(repr, wrong))}" if wrong else None


def core_words_are_distinct(case: Case) -> str | None:
    """No word is used for two attributes, two objects, or one of each."""
    attributes, objects = core_words(case.row.pairs)
    words = (*attributes, *objects)
    if len(set(words)) == len(words):
        return None
    return f"used twice: {', '.join(sorted({word for word in words if words.count(word) > 1}))}"


def core_words_once_in_every_text(case: Case) -> str | None:
    """Each core word stands exactly once in the query, the positive and both negatives."""
    layouts = (case.query, *case.captions)
    return "; ".join(miscount for layout in layouts for miscount in layout.miscounts) or None


def query_lists_the_pairs(case: Case) -> str | None:
    """The query is "A, B and C", its pairs in order, without articles."""
    expected = ""
    for number, pair in enumerate(reversed(case.row.pairs)):
        joint = {0: "", 1: " and "}.get(number, ", ")
        expected = f"{_phrase(pair)}{joint}{expected}"
    found = case.row.query
    return None if found == expected else f"query {found!r}, expected {expected!r}"


def words_counted_are_the_examples(case: Case) -> str | None:
    """The words that the ledger counted are those of the pairs, case folded."""
    expected, counted = core_words(case.row.pairs), case.row.counted
    if counted == expected:
        return None
    return f"accepted_words {counted and [*map(list, counted)]}, expected {[*map(list, expected)]}"


def families_looked_up(case: Case) -> str | None:
    """`families` is the family of each attribute, null for one outside the pool."""
    attributes, _ = core_words(case.row.pairs)
    expected = tuple(map(case.expected.families.get, attributes))
    found = case.row.families
    return None if found == expected else f"families {list(found)}, expected {list(expected)}"


def draws_belong_to_the_construction(case: Case) -> str | None:
    """`kept_pair`, `swapped_slot` and `described_first` are there just where they apply."""
    for column, (construction, end) in _DRAWN_COLUMNS.items():
        value: int | None = getattr(case.row, column)
        if case.row.construction != construction:
            fits = value is None
        else:
            fits = value is not None and 0 <= value < end
        if not fits:
            return f"{column} is {value}"
    return None


def counterbalanced_as_asked(case: Case) -> str | None:
    """The row says that its positive was drawn from the orbit where the settings ask for it."""
    found, expected = case.row.counterbalanced, case.expected.counterbalance
    return None if found == expected else f"counterbalanced is {found}, expected {expected}"


def distractors_are_in_the_text(case: Case) -> str | None:
    """Further pairs stand in every caption, are few, and only where the construction takes them."""
    reported = case.row.distractors
    if reported and not case.shape.takes_distractors:
        return f"{len(reported)} distractors, {case.row.construction} takes none"
    if len(reported) > _MAX_DISTRACTORS:
        return f"{len(reported)} distractors, {_MAX_DISTRACTORS} at most"
    phrases = [
        words_of(fold(word)) for pair in reported for word in (*pair.attributes, pair.object)
    ]
    for caption in case.captions if phrases else ():
        # Between spaces a word is found whole: "red" doesn't stand in "redwood".
        text = f" {' '.join(caption.words)} "
        missing = [" ".join(phrase) for phrase in phrases if f" {' '.join(phrase)} " not in text]
        if missing:
            return f"distractor words not in {caption.name}: {', '.join(missing)}"
    return None


def _phrase(pair: Pair) -> str:
    return " ".join([*pair.attributes, pair.object])
