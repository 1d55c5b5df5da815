"""The device that is asked for is the one used, or it is said that it isn't there."""

import pytest
import torch

from artifacts.devices import device_of
from artifacts.errors import EmbeddingError, SettingsError
from evaluation.embedders.devices import out_of_memory_told, use_threads


@pytest.fixture
def _one_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)


@pytest.fixture
def _no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)


@pytest.mark.usefixtures("_one_gpu")
def test_a_gpu_is_used_where_there_is_one() -> None:
    assert [device_of(asked) for asked in ("auto", "cpu", "cuda", "cuda:0")] == [
        "cuda",
        "cpu",
        "cuda",
        "cuda:0",
    ]
    with pytest.raises(SettingsError, match="cuda:1 was asked for, torch finds 1 CUDA devices"):
        device_of("cuda:1")


@pytest.mark.usefixtures("_no_gpu")
@pytest.mark.parametrize("asked", ["cuda", "cuda:0", "mps"])
def test_no_gpu_is_no_silent_cpu(asked: str) -> None:
    assert device_of("auto") == "cpu"
    with pytest.raises(SettingsError, match=f"device {asked} was asked for"):
        device_of(asked)


@pytest.mark.parametrize("asked", ["gpu", "cuda:", "cuda:x", "tpu:0", ""])
def test_what_is_no_device_is_said(asked: str) -> None:
    with pytest.raises(SettingsError, match="cuda:1 or mps, found"):
        device_of(asked)


def test_threads_are_torch_s_own_unless_set() -> None:
    before = torch.get_num_threads()
    use_threads(None)
    assert torch.get_num_threads() == before
    use_threads(before)
    assert torch.get_num_threads() == before


def test_a_batch_that_does_not_fit_is_said() -> None:
    with (
        pytest.raises(EmbeddingError, match=r"at 64 inputs at a time: CUDA out.*lower batch_size"),
        out_of_memory_told("minilm", 64),
    ):
        raise torch.OutOfMemoryError("CUDA out of memory.\nTried")
