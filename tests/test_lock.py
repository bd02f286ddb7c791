"""The lock file, between objects of this process or two processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from healthlog.base.errors import Inaccessible
from healthlog.base.lock import FileLock, Taken
from tests.support.sources import ROOT

HOLDER = (
    "import sys\n"
    "from pathlib import Path\n"
    "from healthlog.base.lock import FileLock\n"
    "FileLock(Path(sys.argv[1])).acquire()\n"
    "print('held', flush=True)\n"
    "sys.stdin.read()\n"
)
PARENT = (
    "import subprocess, sys\n"
    "from pathlib import Path\n"
    "from healthlog.base.lock import FileLock\n"
    "FileLock(Path(sys.argv[1])).acquire()\n"
    "child = \"print('child runs', flush=True); import sys; sys.stdin.read()\"\n"
    "subprocess.run([sys.executable, '-c', child], close_fds=False)\n"
)


def test_a_second_holder_is_refused_by_the_name_of_the_file(tmp_path: Path) -> None:
    with FileLock(tmp_path / "lock"), pytest.raises(Taken, match=str(tmp_path / "lock")):
        FileLock(tmp_path / "lock").acquire()


def test_a_lock_can_be_taken_again_after_its_release(tmp_path: Path) -> None:
    first, second = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")
    first.acquire()
    first.release()
    second.acquire()
    second.release()


def test_one_object_does_not_take_its_lock_twice(tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "lock")
    with lock:
        with pytest.raises(Taken):
            lock.acquire()
        with pytest.raises(Taken):
            FileLock(tmp_path / "lock").acquire()


def test_a_refused_attempt_takes_nothing_from_the_holder(tmp_path: Path) -> None:
    with FileLock(tmp_path / "lock"):
        for _ in range(2):
            with pytest.raises(Taken):
                FileLock(tmp_path / "lock").acquire()


def test_releasing_what_is_not_held_does_nothing(tmp_path: Path) -> None:
    FileLock(tmp_path / "lock").release()
    assert list(tmp_path.iterdir()) == []


def test_the_lock_file_is_private_and_stays(tmp_path: Path) -> None:
    with FileLock(tmp_path / "lock"):
        pass
    assert (tmp_path / "lock").stat().st_mode & 0o777 == 0o600


def test_another_process_holds_the_lock_until_it_dies(tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "lock")
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path / "lock")],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(Taken):
            lock.acquire()
        holder.kill()
        holder.wait()
        with lock:
            pass


def test_a_child_does_not_inherit_the_lock(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path / "lock")],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"child runs\n"
        parent.kill()
        parent.wait()
        # The child lives until the end of its input, which this process still holds.
        with FileLock(tmp_path / "lock"):
            pass


def test_a_missing_folder_is_told_as_such(tmp_path: Path) -> None:
    with pytest.raises(Inaccessible, match="missing/lock: No such file"):
        FileLock(tmp_path / "missing" / "lock").acquire()
