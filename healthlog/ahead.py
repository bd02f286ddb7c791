"""Processes that prepare deliveries ahead of the one that folds them in their order."""

from __future__ import annotations

import fcntl
import os
import select
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from healthlog.archive.store import Archive
from healthlog.base import fork
from healthlog.base.clock import SystemClock
from healthlog.base.fork import Child
from healthlog.model import Delivery
from healthlog.planning import Prepared
from healthlog.preparing import Preparer, answer, receive, send
from healthlog.program import environment

FEWEST = 20
"""For fewer deliveries no process is worth its start."""

_MOST = 2
"""To prepare takes longer than to fold, but not twice as long."""

_AHEAD = 3
"""Deliveries that one process is given before it has answered."""

_OWN = 3
"""Deliveries that the one that folds prepares itself, at most, while others are at it."""

_PIPE = 1024 * 1024
"""Room for what a process has prepared, so that it needn't wait until that is wanted."""


def processes(cores: int) -> int:
    """How many of them are of use on so many cores, of which one folds."""
    return min(_MOST, cores - 1)


class Worker:
    """One such process. Once it has died it has nothing to say about anything."""

    def __init__(self, child: Child) -> None:
        self._child = child
        self._is_ready = False
        self.waiting = 0
        with suppress(AttributeError, OSError):  # then it waits more often until it is heard
            fcntl.fcntl(child.answers, fcntl.F_SETPIPE_SZ, _PIPE)

    @property
    def pid(self) -> int:
        return self._child.pid

    def is_ready(self, patience_s: float = 0.0) -> bool:
        """Whether it has started, or does so in that time."""
        if not self._is_ready and self.has_answer(patience_s):
            with suppress(EOFError):
                receive(self._child.answers)
            self._is_ready = True
        return self._is_ready

    def has_answer(self, patience_s: float = 0.0) -> bool:
        """Whether there is anything to hear from it, or comes in that time."""
        return bool(select.select([self._child.answers], [], [], patience_s)[0])

    def ask(self, delivery: Delivery) -> None:
        """Let it prepare a delivery, after those it was asked for before."""
        self.waiting += 1
        with suppress(OSError):
            send(self._child.asked, delivery)

    def answer(self, delivery_id: str) -> Prepared | None:
        """What it made of a delivery that it was asked for; None where it made nothing of it."""
        try:
            while True:
                self.waiting -= 1
                found_id, found = receive(self._child.answers)
                if found_id == delivery_id:
                    return found if isinstance(found, Prepared) else None
        except (EOFError, OSError):
            return None

    def close(self) -> None:
        """End it at once."""
        self._child.end()
        for stream in (self._child.asked, self._child.answers):
            stream.close()


def started(count: int, data: Path, timeout_s: float) -> list[Worker]:
    """So many workers for the archive of a data directory, or as many as can be started."""
    workers: list[Worker] = []
    start = _forked if fork.is_safe() else _spawned
    with suppress(OSError):  # with fewer it takes longer
        workers.extend(Worker(start(data, timeout_s)) for _ in range(count))
    return workers


def _forked(data: Path, timeout_s: float) -> Child:
    return fork.forked(partial(answer, Preparer(Archive(data), SystemClock(), timeout_s)))


def _spawned(data: Path, timeout_s: float) -> Child:
    """Loaded anew, which takes longer than to prepare a dozen deliveries."""
    digits = f"int_max_str_digits={sys.get_int_max_str_digits()}"
    command = [sys.executable, "-X", digits, "-m", "healthlog.preparing", str(data)]
    process = subprocess.Popen(  # noqa: S603 - the command is this program's own
        [*command, f"{timeout_s:.3f}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
        env=environment(os.environ),
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None

    def end() -> None:
        process.kill()
        process.wait()

    return Child(process.pid, process.stdin, process.stdout, end)


class Ahead:
    """Has the deliveries of a replay prepared before they are due, by none, one or several
    workers; instead of waiting for one it does some itself, by `prepare`. `find` gives a delivery
    by its id."""

    def __init__(
        self,
        find: Callable[[str], Delivery | None],
        workers: Sequence[Worker] = (),
        prepare: Callable[[Delivery], Prepared | None] | None = None,
    ) -> None:
        self._find = find
        self._workers = workers
        self._prepare = prepare
        self._ids: Sequence[str] = ()
        self._asked: dict[str, Worker] = {}
        self._own: dict[str, Prepared | None] = {}
        self._found: dict[str, Delivery] = {}
        self._upto = 0

    def begin(self) -> None:
        """Other deliveries follow."""
        self._upto = 0

    def look(self, ids: Sequence[str], due: int) -> None:
        """Have some of those behind number `due` prepared, as far as somebody is free for it."""
        self._ids = ids
        ready = [worker for worker in self._workers if worker.is_ready()]
        self._upto = max(self._upto, due + 1)
        while ready and self._upto < len(ids):
            free = min(ready, key=lambda worker: worker.waiting)
            if free.waiting >= _AHEAD:
                return
            delivery = self._next()
            if delivery is not None:
                free.ask(delivery)
                self._asked[delivery.delivery_id] = free

    def find(self, delivery_id: str) -> Delivery | None:
        """A delivery by its id, which may have been looked for already."""
        return self._found.pop(delivery_id, None) or self._find(delivery_id)

    def take(self, delivery: Delivery) -> Prepared | None:
        """What was prepared of a delivery; waits for it if somebody is at it. None where nothing
        was: then it is as if nobody had been asked."""
        worker = self._asked.pop(delivery.delivery_id, None)
        if worker is None:
            return self._own.pop(delivery.delivery_id, None)
        while not worker.has_answer() and self._did_one():
            pass
        return worker.answer(delivery.delivery_id)

    def _did_one(self) -> bool:
        """Prepare the next that nobody was asked for; False where there is none, or no room."""
        if self._prepare is None or len(self._own) >= _OWN or self._upto >= len(self._ids):
            return False
        delivery = self._next()
        if delivery is not None:
            self._own[delivery.delivery_id] = self._prepare(delivery)
        return True

    def _next(self) -> Delivery | None:
        self._upto += 1
        found = self._find(self._ids[self._upto - 1])
        if found is not None:
            self._found[found.delivery_id] = found
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for worker in self._workers:
            worker.close()
