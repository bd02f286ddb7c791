"""Where a backup may be made, and where it is refused in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from healthlog.archive.disk import Disk
from healthlog.backup.place import Place
from healthlog.base.lock import FileLock
from tests.support.backups import backup, filled, is_whole, tree
from tests.support.bodies import ONE_DAY, TWO_DAYS
from tests.support.clock import FakeClock
from tests.support.limits import files_limited_to
from tests.support.sealed import run_powerless, sealed


@pytest.fixture
def tmp_path(memory_path: Path) -> Path:
    return memory_path


@pytest.fixture
def log(data: Path, clock: FakeClock) -> Path:
    """A data directory that can be backed up."""
    filled(data, clock)
    return data


REFUSED = pytest.mark.scenario("backup", "Place that is not for a backup is refused")


@REFUSED
@pytest.mark.parametrize("place", [".", "archive", "new", "new/../archive"])
def test_a_place_in_the_data_directory_is_refused(log: Path, place: str) -> None:
    before = tree(log)
    assert backup(log, log / place).refused(1, str(log), "data directory")
    assert tree(log) == before


@REFUSED
def test_a_link_into_the_data_directory_is_refused(log: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(log)
    assert backup(log, link / "archive").refused(1, "lies in the data directory")


@REFUSED
def test_a_folder_around_the_data_directory_is_refused(log: Path) -> None:
    assert backup(log, log.parent).refused(1, str(log.parent), "name another folder")


@REFUSED
def test_a_file_in_its_place_is_refused(log: Path, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"x")
    assert backup(log, file).refused(1, str(file), "is no folder")
    assert file.read_bytes() == b"x"


@REFUSED
def test_a_folder_of_somebody_else_is_refused(log: Path, tmp_path: Path) -> None:
    other = tmp_path / "photos"
    other.mkdir()
    (other / "cat.jpg").write_bytes(b"cat")
    assert backup(log, other).refused(1, str(other), "not empty")
    assert tree(other) == {"cat.jpg": b"cat"}


@REFUSED
def test_only_the_last_folder_of_a_path_is_made(log: Path, tmp_path: Path) -> None:
    assert backup(log, tmp_path / "unmounted" / "backup").refused(1, "unmounted is not there")
    assert not (tmp_path / "unmounted").exists()


@REFUSED
def test_a_folder_that_can_not_be_written_to_is_refused(log: Path, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    with sealed(closed):
        assert run_powerless("backup", closed, "--data", log).refused(
            1, str(closed), "can't be written to"
        )
        assert run_powerless("backup", closed / "new", "--data", log).refused(1, "can't be made")


def test_an_empty_disk_has_a_folder_of_its_own(log: Path, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    (disk / "lost+found").mkdir(parents=True)
    assert backup(log, disk).status == 0
    assert is_whole(disk)


@pytest.mark.scenario("backup", "Backup of another log is refused")
def test_a_backup_of_another_log_is_refused(log: Path, tmp_path: Path, clock: FakeClock) -> None:
    other, dest = tmp_path / "other", tmp_path / "dest"
    [theirs] = filled(other, FakeClock(clock.now_us() + 7), TWO_DAYS)
    assert backup(other, dest).status == 0
    before = tree(dest)
    assert backup(log, dest).refused(1, str(dest), theirs.delivery_id, "another log")
    assert tree(dest) == before
    # Also without its manifest: what was interrupted is somebody's, too.
    (dest / "manifest.ndjson").unlink()
    assert backup(log, dest).refused(1, str(dest), theirs.delivery_id)


@pytest.mark.scenario("backup", "Backup of another log is refused")
def test_a_log_that_has_lost_deliveries_does_not_take_them_from_the_backup(
    log: Path, tmp_path: Path, clock: FakeClock
) -> None:
    dest = tmp_path / "dest"
    assert backup(log, dest).status == 0
    before = tree(dest)
    for path in sorted(log.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    clock.advance(60)
    filled(log, clock, ONE_DAY)
    assert backup(log, dest).refused(1, str(dest), "has lost them")
    assert tree(dest) == before


@pytest.mark.scenario("backup", "Two backups at once")
def test_two_backups_do_not_work_in_one_place(log: Path, tmp_path: Path) -> None:
    dest = tmp_path / "dest"
    assert backup(log, dest).status == 0
    with FileLock(dest / "healthlog-backup"):
        assert backup(log, dest).refused(1, "healthlog-backup", "another process")
    with Place(dest, Disk()).held():
        assert backup(log, dest).refused(1, "healthlog-backup", "another process")


@pytest.mark.scenario("backup", "Full disk is named and clears away what it can")
def test_a_disk_that_takes_no_more_is_named(log: Path, tmp_path: Path) -> None:
    dest = tmp_path / "dest"
    assert backup(log, dest).status == 0
    before, there = tree(log), tree(dest)
    with files_limited_to(40_000):
        ran = backup(log, dest)
    assert ran.refused(1, str(dest), ".db: ", "is as whole as before")
    assert (tree(log), tree(dest)) == (before, there)
    with files_limited_to(40_000):
        assert backup(log, tmp_path / "first").refused(1, "there is no whole backup in it yet")
