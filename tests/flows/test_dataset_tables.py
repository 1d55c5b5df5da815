"""What is told at the end of a dataset's run: its table, what waits, and what stopped short."""

from pathlib import Path

import pytest

from artifacts.errors import GenerationError
from flows.commands.dataset import print_dataset
from flows.dataset import DatasetRun, require_full, stream_rows, told_of_pending
from flows.settings import Settings
from flows.stages.dataset import DatasetOutcome
from flows.stages.stream_run import StreamOutcome

STOPPED = StreamOutcome("pair_swap", 361, 366, "interrupted", tokens_out=50, pending=864)
FULL = StreamOutcome("attr_bundle", 300, 307, tokens_in=400, tokens_out=50, surplus=49)
#: What a writer of our own leaves.
PLAIN = StreamOutcome("predicative", 10, 10)


def test_replies_without_a_verdict_have_columns_where_there_are_any() -> None:
    pending, surplus = stream_rows([STOPPED, FULL])
    assert (pending["pending"], pending["surplus in this run"]) == (864, 0)
    assert (surplus["pending"], surplus["surplus in this run"]) == (0, 49)
    assert "pending" not in stream_rows([FULL])[0]
    assert "surplus in this run" not in stream_rows([STOPPED])[0]
    assert list(stream_rows([PLAIN])[0]) == [
        "construction",
        "accepted",
        "attempts",
        "acceptance",
        "rejected by, as judged in this run",
    ]


def test_what_waits_is_told_below_the_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = DatasetOutcome(None, [STOPPED, FULL], built=True)
    print_dataset(Settings(root=tmp_path), DatasetRun(outcome, []))
    told = capsys.readouterr().out
    assert "pending: 864 replies are kept" in told
    assert told.endswith("judged when the build goes on, and not asked for again\n")


def test_where_nothing_waits_nothing_is_told() -> None:
    assert told_of_pending([FULL, PLAIN]) == ""


def test_what_stopped_short_says_what_stays() -> None:
    with pytest.raises(
        GenerationError,
        match=r"pair_swap at 361: interrupted\); what was accepted and 864 replies that wait for "
        "their verdict stay, run the command again",
    ):
        require_full([STOPPED, FULL])
    stopped = StreamOutcome("predicative", 10, 10, "interrupted")
    with pytest.raises(GenerationError, match="what was accepted stays, run the command again"):
        require_full([stopped])
