"""Plans and logged drafts of any shape, for tests of what stores them."""

from hypothesis import strategies as st

from artifacts.attempt_log import LoggedDraft
from artifacts.plans import Pair, Plan, Range

PLAN = Plan(
    construction="pair_swap",
    attempt=0,
    seed=7,
    scene="at the market",
    time=None,
    weather="in the rain",
    register="log entry",
    opener="plain",
    band=Range(10, 15),
    window=Range(0, 2),
    pairs=(Pair(("red",), "tunic"), Pair(("icy",), "shroud")),
    distractors=(),
    distractor_count=0,
    kept_pair=None,
    swapped_slot=None,
    described_first=None,
    direction=None,
    orbit_draw=3,
    query_order=(1, 0),
)

texts = st.text(max_size=20)
numbers = st.none() | st.integers(0, 9)
ranges = st.builds(Range, st.integers(0, 99), st.integers(0, 99))
pairs = st.lists(st.builds(Pair, st.lists(texts, max_size=2).map(tuple), texts), max_size=3).map(
    tuple
)
plans = st.builds(
    Plan,
    construction=st.just("pair_swap"),
    attempt=st.integers(0, 2_999),
    seed=st.integers(0, 2**64 - 1),
    scene=texts,
    time=st.none() | texts,
    weather=st.none() | texts,
    register=texts,
    opener=texts,
    band=ranges,
    window=ranges,
    pairs=pairs,
    distractors=pairs,
    distractor_count=st.integers(0, 3),
    kept_pair=numbers,
    swapped_slot=numbers,
    described_first=numbers,
    direction=st.sampled_from([None, -1, 1]),
    orbit_draw=numbers,
    query_order=st.permutations(range(3)).map(tuple),
)
#: What a server may send: line breaks of every kind, nulls, halves of surrogate pairs.
raw_texts = st.text(
    st.characters() | st.sampled_from("\x00\n\r\x0b\x0c\x1c\x85\u2028\u2029\ud800\udfff\U0001f600"),
    max_size=40,
)
drafts = st.builds(
    LoggedDraft,
    plan=plans,
    raw=raw_texts,
    model=texts,
    tokens_in=numbers,
    tokens_out=numbers,
    request=st.none() | texts,
    finish=st.none() | texts,
)
