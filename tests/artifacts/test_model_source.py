"""Where a model lies, of those that are on this disk; names on the Hub are tests/with_torch's."""

from pathlib import Path

import pytest

from artifacts.errors import ModelMissingError
from artifacts.model_source import folder_checksum, locate


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What a saved model looks like, as far as its place goes."""
    saved = tmp_path / "saved"
    (saved / "1_Pooling").mkdir(parents=True)
    (saved / "config.json").write_text("{}")
    (saved / "model.safetensors").write_bytes(b"weights")
    (saved / "1_Pooling" / "config.json").write_text("{}")
    return saved


def test_a_folder_is_known_by_its_content_wherever_it_lies(folder: Path, tmp_path: Path) -> None:
    source = locate(str(folder), revision=None)
    moved = folder.rename(tmp_path / "moved")
    (moved / "README.md").write_text("A card.")
    (moved / ".gitattributes").write_text("hidden")
    assert locate(str(moved), revision=None).identity == source.identity
    assert (source.location, source.commit) == (str(folder), None)


@pytest.mark.parametrize("changed", ["model.safetensors", "1_Pooling/config.json", "vocab.txt"])
def test_any_of_its_files_makes_another_model(folder: Path, changed: str) -> None:
    before = folder_checksum(folder)
    (folder / changed).write_text("other")
    assert folder_checksum(folder) != before


def test_a_folder_that_holds_no_model_is_refused_unread(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "config.json").write_text("{}")
    with pytest.raises(ModelMissingError, match=r"no modules\.json or config\.json in it"):
        locate(str(tmp_path), revision=None)
