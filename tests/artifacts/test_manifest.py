import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from artifacts.errors import BuildMissingError, DamagedFileError
from artifacts.files import FileEntry, sha256_of
from artifacts.manifest import fingerprint, read_manifest, write_manifest
from tests.artifacts.rows import manifest

ENTRY = FileEntry("dataset/a.parquet", "examples", rows=3, bytes=10, sha256="ab", state="failed")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "manifest.json"
    write_manifest(path, manifest("dataset", [ENTRY]))
    return path


def test_what_is_written_is_read(path: Path) -> None:
    assert read_manifest(path) == manifest("dataset", [ENTRY])


def test_same_content_gives_same_bytes(tmp_path: Path, path: Path) -> None:
    other = manifest("dataset", [ENTRY]).model_copy(
        update={"settings": dict(reversed([("seed", 1)]))}
    )
    write_manifest(tmp_path / "other.json", other)
    assert (tmp_path / "other.json").read_bytes() == path.read_bytes()


def test_absent_manifest_means_unfinished(tmp_path: Path) -> None:
    with pytest.raises(BuildMissingError, match=r"no manifest at .*unfinished or not a build; run"):
        read_manifest(tmp_path / "manifest.json")


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda text: text[:-20], "it is no JSON"),
        (lambda text: "", "it is no JSON"),
        (lambda text: "[]", "it holds no JSON object"),
        (lambda text: text.replace('"rows": 3', '"rows": 4'), "it was edited"),
        (lambda text: text.replace('"sha256": "ab"', '"sha256": "cd"'), "it was edited"),
        (lambda text: "{}", "it was edited"),
    ],
)
def test_damage_is_noticed(path: Path, edit: Callable[[str], str], said: str) -> None:
    path.write_text(edit(path.read_text()))
    with pytest.raises(DamagedFileError, match=said) as caught:
        read_manifest(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_bytes_that_are_no_text_are_noticed(path: Path) -> None:
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DamagedFileError, match="it is no JSON"):
        read_manifest(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": 2}, "format"),
        ({"stage": "nonsense"}, "stage"),
        ({"surprise": 1}, "surprise"),
        ({"files": [ENTRY.__dict__ | {"name": "../../etc/passwd"}]}, "leads out of the build"),
        ({"files": [ENTRY.__dict__ | {"name": "/etc/passwd"}]}, "leads out of the build"),
    ],
)
def test_well_signed_nonsense_is_refused(path: Path, change: dict[str, object], said: str) -> None:
    content = json.loads(path.read_text()) | change
    del content["sha256"]
    path.write_text(json.dumps(content | {"sha256": fingerprint(content)}))
    with pytest.raises(DamagedFileError, match=said):
        read_manifest(path)


@given(st.dictionaries(st.text(), st.integers()))
def test_fingerprint_ignores_the_order_of_keys(settings: dict[str, int]) -> None:
    backwards = dict(reversed(settings.items()))
    assert fingerprint(settings) == fingerprint(backwards)  # type: ignore[arg-type]


def test_fingerprint_is_the_checksum_of_canonical_json() -> None:
    assert fingerprint({"b": 1, "a": [True]}) == sha256_of(b'{"a":[true],"b":1}')
