"""One server for all tests here: it takes minutes to start on a busy machine."""

from collections.abc import Iterator

import pytest

from tests.real_vllm.serving import PYTHON, Vllm, make_model, serving


@pytest.fixture(scope="session", autouse=True)
def environment() -> None:
    """What `make test-vllm` installs."""
    assert PYTHON.exists(), f"no vLLM in {PYTHON.parents[1]}: run `make test-vllm`"


@pytest.fixture(scope="session")
def vllm(environment: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vllm]:
    make_model()
    with serving(tmp_path_factory.mktemp("vllm")) as running:
        yield running
