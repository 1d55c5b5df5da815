from pathlib import Path

import pytest

from flows.stages.local_models import local_checksum


def test_a_model_s_folder_and_a_file_have_a_checksum(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    folder, file = local_checksum(str(tmp_path)), local_checksum(str(tmp_path / "config.json"))
    assert folder
    assert file
    assert folder != file


@pytest.mark.parametrize("name", ["/", "org/model", "no\0name", "n" * 300])
def test_another_folder_and_no_file_have_none(name: str) -> None:
    assert local_checksum(name) is None
