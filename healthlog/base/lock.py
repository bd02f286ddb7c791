"""A lock file that one process at a time can hold."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType
from typing import Self

from healthlog.base import errors


class Taken(Exception):
    """Another holder has the lock; the message names the file."""


class FileLock:
    """Exclusive `flock` on a file, which is made if missing and never removed.

    The kernel lets go when the process ends, however it ends. Removing the file would let two
    processes hold locks on two files of one name.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def acquire(self) -> None:
        """Take the lock without waiting; Taken if anybody, this object included, has it."""
        if self._descriptor is not None:
            raise Taken(f"the lock {self.path} is already held here")
        with errors.writing(self.path):
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            with errors.naming():
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise Taken(f"the lock {self.path} is held by another process") from None
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor

    def release(self) -> None:
        """Let go; does nothing when not held."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            # Said aloud, because a child between fork and exec still has the descriptor.
            fcntl.flock(descriptor, fcntl.LOCK_UN)
            os.close(descriptor)

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()
