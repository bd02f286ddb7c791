"""The data directory: where things lie, who may look into it."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from healthlog.home import Home, NoData


def test_everything_lies_inside_the_directory(data: Path) -> None:
    home = Home(data)
    paths = [home.journal, home.mart, home.lock, home.tokens]
    assert {path.parent for path in paths} == {data}
    assert [path.name for path in paths] == ["journal.db", "mart.db", "lock", "tokens.json"]


def test_a_missing_directory_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    data = tmp_path / "a" / "b"
    Home(data).prepare()
    assert stat.S_IMODE(data.stat().st_mode) == 0o700


def test_a_directory_that_is_there_is_left_as_it_is(data: Path) -> None:
    data.chmod(0o750)
    Home(data).prepare()
    assert stat.S_IMODE(data.stat().st_mode) == 0o750


def test_a_file_in_its_place_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"")
    with pytest.raises(NoData, match=str(file)):
        Home(file).prepare()
    with pytest.raises(NoData, match=str(file)):
        Home(file).require()


def test_a_missing_directory_is_not_made_by_looking(tmp_path: Path) -> None:
    with pytest.raises(NoData, match="--data"):
        Home(tmp_path / "nowhere").require()
    assert list(tmp_path.iterdir()) == []
