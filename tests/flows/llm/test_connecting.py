"""Addresses and keys that can't be sent: told in a line, and nothing secret in it."""

import asyncio

import pytest

from artifacts.errors import SettingsError
from artifacts.settings import LlmSettings
from flows.llm.client import KEY_VARIABLES, connected
from flows.settings import load_settings


def _load(url: str) -> None:
    load_settings(None, {"dataset": {"llm": {"base_url": url}}})


def _connect(url: str) -> None:
    async def connect() -> None:
        async with connected(LlmSettings(base_url=url)):
            pass

    asyncio.run(connect())


@pytest.mark.parametrize(
    "url",
    [
        "https://user:hunter2@gpu-1/v1",
        "https://hunter2@gpu-1/v1",
        "https://user:hunter2@[::1/v1",
        "https:/user:hunter2@gpu-1/v1",
        "ftp://user:hunter2@gpu-1/v1",
    ],
)
def test_an_address_with_a_password_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(SettingsError, match="without user and password") as caught:
        _load(url)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["http://[::1", "http://", "gpu-1:8000/v1", "ftp://gpu-1/v1", "http://gpu-1:port/v1"]
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(SettingsError, match=r"expected an address like http.*found '") as caught:
        _load(url)
    assert url in str(caught.value)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:8000/v1", "https://[::1]:8000/a@b", "HTTP://gpu"]
)
def test_addresses_are_taken(url: str) -> None:
    _load(url)
    _connect(url)


def test_what_the_client_takes_for_no_address_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"dataset\.llm\.base_url: expected an address"):
        _connect("http://gpu\x01/v1")


@pytest.mark.parametrize("variable", KEY_VARIABLES)
@pytest.mark.parametrize("key", ["hunter2-ü", "hunter2\n", "hunter2\r", "hunter2 hunter2", "\0"])
def test_a_key_that_cannot_be_sent_is_refused_and_not_shown(
    monkeypatch: pytest.MonkeyPatch, variable: str, key: str
) -> None:
    for name in KEY_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    # The environment proper holds no zero byte.
    monkeypatch.setattr("os.environ", {variable: key})
    with pytest.raises(SettingsError, match=f"variable {variable}: expected a key") as caught:
        _connect("http://127.0.0.1:8000/v1")
    assert "hunter2" not in str(caught.value)
