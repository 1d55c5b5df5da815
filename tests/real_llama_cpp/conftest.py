"""Two servers for all tests here: one that anybody may ask, and one that is small and guarded."""

from collections.abc import Iterator

import pytest

from tests.real_llama_cpp.serving import MODEL_FILE, PROGRAM, LlamaCpp, serving

KEY = "a-secret-key"
#: The least that llama.cpp gives; a first prompt and a reply don't both fit.
SMALL_CONTEXT_TOKENS = 256


@pytest.fixture(scope="session", autouse=True)
def environment() -> None:
    """What `make test-llama-cpp` makes."""
    missing = [path for path in (PROGRAM, MODEL_FILE) if not path.exists()]
    assert not missing, f"no {missing[0]}: run `make test-llama-cpp`"


@pytest.fixture(scope="session")
def llama(environment: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaCpp]:
    with serving(tmp_path_factory.mktemp("llama")) as running:
        yield running


@pytest.fixture(scope="session")
def guarded(environment: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaCpp]:
    folder = tmp_path_factory.mktemp("guarded")
    options = {"context_tokens": SMALL_CONTEXT_TOKENS, "slots": 1}
    with serving(folder, f"--api-key={KEY}", **options) as running:
        yield running
