"""Errors of the system and of SQLite under the names of the domain."""

from __future__ import annotations

import errno
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from healthlog.base import errors
from tests.support.sources import ROOT


def sqlite_error(path: Path, *statements: str) -> sqlite3.Error:
    """The error that the last of the statements raises on the database at `path`."""
    with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as connection:
        for statement in statements[:-1]:
            connection.execute(statement)
        with pytest.raises(sqlite3.Error) as caught:
            connection.execute(statements[-1])
    return caught.value


def test_a_full_device_is_disk_full() -> None:
    with (
        pytest.raises(OSError, match="space left") as caught,
        open("/dev/full", "wb", buffering=0) as device,
    ):
        device.write(b"x")
    assert type(errors.named(caught.value)) is errors.DiskFull


def test_a_full_database_is_disk_full(tmp_path: Path) -> None:
    error = sqlite_error(
        tmp_path / "a.db",
        "CREATE TABLE t (a BLOB)",
        "PRAGMA max_page_count = 3",
        "INSERT INTO t VALUES (zeroblob(100000))",
    )
    assert type(errors.named(error)) is errors.DiskFull


def test_a_locked_database_is_busy(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        error = sqlite_error(tmp_path / "a.db", "BEGIN IMMEDIATE")
    assert type(errors.named(error)) is errors.Busy


def test_an_old_snapshot_is_busy_by_the_low_byte_of_its_code(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = wal")
        other.execute("CREATE TABLE t (a)")
        with closing(sqlite3.connect(path, isolation_level=None)) as mine:
            mine.execute("BEGIN DEFERRED")
            mine.execute("SELECT * FROM t").fetchall()
            other.execute("INSERT INTO t VALUES (1)")
            with pytest.raises(sqlite3.OperationalError) as caught:
                mine.execute("INSERT INTO t VALUES (2)")
    assert caught.value.sqlite_errorcode == sqlite3.SQLITE_BUSY_SNAPSHOT
    assert type(errors.named(caught.value)) is errors.Busy


def test_a_table_in_use_is_busy(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None)) as connection:
        connection.execute("CREATE TABLE t (a)")
        connection.execute("INSERT INTO t VALUES (1), (2)")
        cursor = connection.execute("SELECT a FROM t")
        with pytest.raises(sqlite3.OperationalError) as caught:
            connection.execute("DROP TABLE t")
        cursor.close()
    assert caught.value.sqlite_errorcode == sqlite3.SQLITE_LOCKED
    assert type(errors.named(caught.value)) is errors.Busy


def test_a_file_that_is_no_database_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(b"not a database at all " * 100)
    assert type(errors.named(sqlite_error(path, "SELECT * FROM sqlite_master"))) is errors.Damaged


def test_a_database_with_torn_pages_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("CREATE TABLE t (a)")
        connection.execute("INSERT INTO t VALUES (zeroblob(100))")
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))
    assert type(errors.named(sqlite_error(path, "SELECT a FROM t"))) is errors.Damaged


def test_a_text_that_is_no_utf_8_is_damage_told_without_it(tmp_path: Path) -> None:
    with (
        closing(sqlite3.connect(tmp_path / "a.db")) as connection,
        pytest.raises(sqlite3.OperationalError, match="canary") as caught,
    ):
        connection.execute("SELECT CAST(x'63616e617279ff' AS TEXT)").fetchall()
    better = errors.named(caught.value)
    assert type(better) is errors.Damaged
    assert "canary" not in str(better)


def test_words_of_the_sqlite_module_are_not_passed_on() -> None:
    own, of_sqlite = sqlite3.OperationalError("canary"), sqlite3.OperationalError("locked")
    of_sqlite.sqlite_errorcode = sqlite3.SQLITE_BUSY
    said = [errors.told(one) for one in (own, of_sqlite, OSError("disk"))]
    assert said == ["OperationalError", "locked", "disk"]


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (errno.ENOSPC, errors.DiskFull),
        (errno.EDQUOT, errors.DiskFull),
        (errno.EFBIG, errors.DiskFull),
        (errno.EIO, errors.IOFault),
        (errno.EMFILE, errors.NoDescriptors),
        (errno.ENFILE, errors.NoDescriptors),
        (errno.EROFS, errors.Inaccessible),
    ],
)
def test_an_error_of_the_system_has_a_name(code: int, kind: type[Exception]) -> None:
    assert type(errors.named(OSError(code, os.strerror(code), "x"))) is kind


@pytest.mark.parametrize(
    ("code", "to_read", "to_write"),
    [
        (errno.EACCES, errors.Inaccessible, errors.Inaccessible),
        (errno.EPERM, errors.Inaccessible, errors.Inaccessible),
        (errno.EIO, errors.IOFault, errors.IOFault),
        (errno.ENOSPC, errors.DiskFull, errors.DiskFull),
        (errno.ENOENT, FileNotFoundError, errors.Inaccessible),
        (errno.ENOTDIR, NotADirectoryError, errors.Inaccessible),
        (errno.EINVAL, OSError, OSError),
    ],
)
def test_who_reads_and_who_writes_a_file_are_told_which(
    code: int, to_read: type[Exception], to_write: type[Exception]
) -> None:
    for block, kind in ((errors.reading, to_read), (errors.writing, to_write)):
        with pytest.raises(kind) as caught, block(Path("/data/file")):
            raise OSError(code, os.strerror(code))
        assert type(caught.value) is kind
        if errors.is_circumstance(caught.value):
            assert str(caught.value) == f"/data/file: {os.strerror(code)}"


def test_a_database_that_may_not_be_written_is_inaccessible(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    error = sqlite_error(path, "PRAGMA query_only = 1", "CREATE TABLE t (a)")
    assert type(errors.named(error)) is errors.Inaccessible


def test_no_room_for_the_index_of_a_log_is_a_full_disk() -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
    better = errors.named(error)
    assert (type(better), str(better)) == (errors.DiskFull, "database or disk is full")


def test_no_descriptors_left_has_a_name() -> None:
    script = (
        "import os, resource\n"
        "from healthlog.base import errors\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))\n"
        "try:\n"
        "    with errors.naming():\n"
        "        while True: os.open('/dev/null', os.O_RDONLY)\n"
        "except errors.NoDescriptors as error:\n"
        "    print(type(error.__cause__).__name__)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (run.stdout, run.stderr) == ("OSError\n", "")


@pytest.mark.parametrize(
    "error", [FileNotFoundError(errno.ENOENT, "no"), OSError("no number"), sqlite3.Error("own")]
)
def test_an_error_without_a_name_stays_itself(error: OSError | sqlite3.Error) -> None:
    assert errors.named(error) is error


def test_a_broken_constraint_stays_itself(tmp_path: Path) -> None:
    error = sqlite_error(
        tmp_path / "a.db", "CREATE TABLE t (a NOT NULL)", "INSERT INTO t VALUES (NULL)"
    )
    assert errors.named(error) is error


def test_naming_keeps_the_error_of_the_system_as_cause() -> None:
    cause = OSError(errno.EIO, "Input/output error", "disk")
    with pytest.raises(errors.IOFault, match="disk") as caught, errors.naming():
        raise cause
    assert caught.value.__cause__ is cause


def test_naming_lets_unnamed_errors_pass_without_a_cause() -> None:
    with pytest.raises(FileNotFoundError) as caught, errors.naming():
        raise FileNotFoundError(errno.ENOENT, "no")
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    "kind",
    [
        errors.Busy,
        errors.DiskFull,
        errors.IOFault,
        errors.NoDescriptors,
        errors.Inaccessible,
        errors.Stopped,
    ],
)
def test_circumstances_say_nothing_of_the_input(kind: type[Exception]) -> None:
    assert errors.is_circumstance(kind("why"))


@pytest.mark.parametrize(
    "error", [errors.Refusal("no"), errors.Damaged("no"), MemoryError(), OSError(), ValueError()]
)
def test_everything_else_is_no_circumstance(error: Exception) -> None:
    assert not errors.is_circumstance(error)
