from flows.llm.lane import Lane, choose
from flows.llm.messages import Order, Report


def _lane(name: str, quota: int, *, accepted: int = 0, settled: int = 0) -> Lane:
    lane = Lane(name, quota)
    orders = [Order(settled + number, b"") for number in range(100)]
    lane.hear(Report(name, orders, accepted, settled, 0, 0, False, None, []))
    return lane


def test_a_lane_asks_for_what_it_needs_and_a_few_more() -> None:
    assert _lane("a", 10).need == 14
    assert _lane("a", 10, accepted=10, settled=10).need == 4


def test_a_lane_asks_for_more_where_less_is_accepted() -> None:
    assert _lane("a", 110, accepted=10, settled=100).need > 900


def test_a_lane_stops_asking_when_enough_is_on_its_way() -> None:
    lane = _lane("a", 10)
    lane.handed = 13
    assert lane.wants
    lane.handed = 14
    assert not lane.wants


def test_the_one_farthest_behind_is_next() -> None:
    lanes = [_lane("small", 10), _lane("large", 1_000)]
    turns = []
    for _ in range(80):
        lane = choose(lanes)
        assert lane is not None
        turns.append(lane.construction)
        lane.take_order()
    assert turns.count("large") == 79


def test_nobody_is_next_where_nobody_wants() -> None:
    lane = _lane("a", 10)
    lane.stopped = "why not"
    assert choose([lane]) is None
