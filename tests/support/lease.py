"""Another process held up at the very moment it opens a file, without a clock."""

from __future__ import annotations

import fcntl
import os
import select
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.patience import PATIENCE_S


class Lease:
    """Held on a file: whoever opens it waits until it is released (fcntl(2), F_SETLEASE)."""

    def __init__(self, descriptor: int, told: int) -> None:
        self._descriptor = descriptor
        self._told = told
        self._held = True
        try:
            fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        except OSError as error:
            pytest.skip(f"the file system of the tests has no leases: {error}")

    def wait(self) -> None:
        """Until somebody is held up."""
        assert select.select([self._told], [], [], PATIENCE_S)[0], "nobody opened the file"

    def release(self) -> None:
        """Let whoever waits go on; a second time does nothing."""
        if self._held:
            self._held = False
            fcntl.fcntl(self._descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)


@contextmanager
def leased(path: Path) -> Iterator[Lease]:
    """A lease on a file nobody has open; released at the end of the block."""
    told, tell = os.pipe()
    # The signal may be handed to any thread, and the main one may be asleep in `wait`.
    os.set_blocking(tell, False)
    before = signal.signal(signal.SIGIO, lambda *_: None)
    woken = signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
    descriptor = os.open(path, os.O_RDWR)
    try:
        lease = Lease(descriptor, told)
        yield lease
        lease.release()
    finally:
        os.close(descriptor)
        signal.set_wakeup_fd(woken)
        signal.signal(signal.SIGIO, before)
        os.close(told)
        os.close(tell)
