"""Operations on this machine, for recognisers that answer at once: so they too are asked twice.

An operation is a folder below `audio/work/operations`. It appears whole, waits for its turn, is
carried to its result by a process of its own that outlives this one, and is found again by its key
whatever crashed. Whether it lives is told by a lock that only its process holds, never by a number.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from bisect import insort
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from healthlog.base import files
from healthlog.base.clock import Clock
from healthlog.base.runtime import Deadline
from healthlog.transcriber.failures import Configuration, Ended, Retry, Verdict
from healthlog.transcriber.providers import runner
from healthlog.transcriber.providers.base import NotYet

_LOCK, _CUT = "lock", "cut"
_NEW_SUFFIX = ".new"
_OWN_SETTINGS = "HEALTHLOG_"
_PACKAGES = Path(__file__).resolve().parents[3]
_GRACE_S = 1.0
_LOOK_S = 0.02


@dataclass(frozen=True, slots=True)
class Kind:
    """What the operations of a spool are: the module that carries one out (its main is called with
    the folder), what is added to its environment, whether one may cost money, how many run at a
    time."""

    module: str = "healthlog.transcriber.providers.runner"
    environment: Mapping[str, str] | None = None
    paid: bool = False
    parallel: int = 1


class Spool:
    """The operations below `root`. Used by many threads of one process, which alone may."""

    def __init__(self, root: Path, data: Path, kind: Kind, clock: Clock) -> None:
        self._root = root
        self._data = data
        self._kind = kind
        self._clock = clock
        self._turn = threading.Lock()
        # What the folders say, read once: only this process changes it.
        self._waiting: list[str] | None = None
        self._running: dict[str, subprocess.Popen[bytes] | None] = {}
        self._stopping = False

    def begin(self, key: str, request: Mapping[str, object]) -> str:
        """An operation, durable, under this key; the one there is, if there is one. Its id."""
        with self._turn:
            waiting = self._look()
            if not self.holds(key):
                self._create(key, request)
                insort(waiting, key)
            self._start_waiting()
        return key

    def holds(self, key: str) -> bool:
        """Whether there is an operation under this key."""
        return (self._root / key).is_dir()

    def poll(self, key: str) -> NotYet | Path:
        """The folder of an operation that has come to its end well, else NotYet. Ended, Verdict."""
        folder = self._root / key
        with self._turn:
            # Before its result is looked for: whoever lives no more has written it.
            waiting = self._start_waiting()
            under_way = key in self._running or key in waiting
        if not folder.is_dir():
            raise Ended(Retry("the operation is not there any more"), charged=True)
        if (folder / runner.RESULT).exists():
            return _read(folder)
        if under_way:
            return NotYet()
        cut = (folder / _CUT).exists()
        cause = Retry("the service's stop cut it" if cut else "its process ended without a result")
        raise Ended(cause, charged=True, cut=cut)

    def remove(self, key: str) -> None:
        """Remove an operation with all that it left, ending it if it is under way."""
        with self._turn:
            waiting, folder = self._look(), self._root / key
            if key in waiting:
                waiting.remove(key)
            if folder.is_dir():
                self._end(folder, Deadline.after(self._clock, 2 * _GRACE_S))
                # First under another name, so that no half of it is ever taken for whole.
                doomed = folder.with_name(key + _NEW_SUFFIX)
                files.rename(folder, doomed)
                shutil.rmtree(doomed, ignore_errors=True)

    def stop(self, budget_s: float) -> None:
        """Nothing is begun any more. What costs money is awaited, then ended and marked as cut;
        anything else is ended and begins anew at the next start."""
        deadline = Deadline.after(self._clock, budget_s)
        with self._turn:
            self._look()
            self._stopping = True
            running = [self._root / key for key in self._running]
            if self._kind.paid:
                grace_s = max(0.0, deadline.left() - 2 * _GRACE_S)
                self._await(running, Deadline.after(self._clock, grace_s))
            for folder in running:
                self._cut(folder, deadline)
            self._look()

    # ---- beginning

    def _create(self, key: str, request: Mapping[str, object]) -> None:
        files.make_folders(self._root, self._data)
        new = self._root / (key + _NEW_SUFFIX)
        shutil.rmtree(new, ignore_errors=True)
        files.make_folders(new, self._data)
        files.write_whole(new / runner.REQUEST, json.dumps(dict(request)).encode())
        files.rename(new, self._root / key)
        files.sync_folder(self._root)

    def _start_waiting(self) -> list[str]:
        """Starts the oldest that wait, as long as there is room; those that go on waiting."""
        waiting = self._look()
        while waiting and len(self._running) < self._kind.parallel and not self._stopping:
            if not self._start(waiting[0]):
                break
            waiting.pop(0)
        return waiting

    def _start(self, key: str) -> bool:
        folder = self._root / key
        with _locked(folder) as lock:
            if lock is None:
                return False
            child = subprocess.Popen(  # noqa: S603 - this program's own
                (sys.executable, "-m", self._kind.module, str(folder)),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=self._environment(),
                start_new_session=True,
                pass_fds=(lock,),
            )
        self._running[key] = child
        # It does so itself before anything else; here too, lest one that can't even begin to does
        # again and again.
        files.write_whole(folder / runner.STARTED, str(child.pid).encode())
        return True

    def _environment(self) -> dict[str, str]:
        """That of this process without settings, in which this program is found again."""
        own = {n: text for n, text in os.environ.items() if not n.startswith(_OWN_SETTINGS)}
        places = (str(_PACKAGES), own.get("PYTHONPATH", ""))
        path = {"PYTHONPATH": os.pathsep.join(filter(None, places))}
        return {**own, **path, **(self._kind.environment or {})}

    # ---- looking

    def _look(self) -> list[str]:
        """Keys that wait, oldest first: they begin with the instant at which a recording came.
        Those that run are looked at, too."""
        if self._waiting is None:
            self._waiting = []
            for folder in sorted(self._root.iterdir()) if self._root.is_dir() else ():
                self._take_up(folder, self._waiting)
        for key, child in list(self._running.items()):
            if not _lives(self._root / key):
                if child is not None:
                    child.wait()
                del self._running[key]
                if self.holds(key) and not (self._root / key / runner.STARTED).exists():
                    insort(self._waiting, key)
        return self._waiting

    def _take_up(self, folder: Path, waiting: list[str]) -> None:
        """One that an earlier process left."""
        if folder.suffix == _NEW_SUFFIX:
            shutil.rmtree(folder, ignore_errors=True)
        elif (folder / runner.RESULT).exists():
            return
        elif _lives(folder):
            self._running[folder.name] = None
        elif not (folder / runner.STARTED).exists():
            waiting.append(folder.name)

    # ---- ending

    def _await(self, folders: list[Path], deadline: Deadline) -> None:
        pause = threading.Event()
        while not deadline.passed() and any(map(_lives, folders)):
            pause.wait(_LOOK_S)

    def _cut(self, folder: Path, deadline: Deadline) -> None:
        if self._kind.paid and _lives(folder):
            # Before its end: what isn't marked counts as a crash, of which a person is asked.
            files.write_whole(folder / _CUT, b"")
        self._end(folder, deadline)
        over = (folder / runner.RESULT).exists()
        if not self._kind.paid and not over and not _lives(folder):
            files.remove(folder / runner.STARTED)

    def _end(self, folder: Path, deadline: Deadline) -> None:
        """Ends the process of an operation, if it has one. That it holds the lock proves that the
        number which was noted is its own."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            if not _lives(folder):
                return
            with suppress(OSError, ValueError):
                os.kill(int((folder / runner.STARTED).read_bytes()), number)
            grace_s = min(_GRACE_S, deadline.left())
            self._await([folder], Deadline.after(self._clock, grace_s))


def _lives(folder: Path) -> bool:
    """Whether somebody holds the folder's lock."""
    try:
        with _locked(folder) as lock:
            return lock is None
    except FileNotFoundError:
        return False


@contextmanager
def _locked(folder: Path) -> Iterator[int | None]:
    """A descriptor that holds the folder's lock, None when somebody else's does."""
    descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        yield None
        return
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _read(folder: Path) -> Path:
    """The folder of an operation whose result is there, or the error that it tells of."""
    result = json.loads((folder / runner.RESULT).read_bytes())
    outcome, message = result["outcome"], str(result.get("message", ""))
    if outcome == runner.DONE:
        return folder
    if outcome == runner.VERDICT:
        raise Verdict(message)
    charged = bool(result.get("charged", False))
    if outcome == runner.CONFIGURATION:
        raise Ended(Configuration(str(result["setting"]), message), charged=charged)
    raise Ended(
        Retry(message, retry_after_s=float(result.get("retry_after_s", 0))), charged=charged
    )
