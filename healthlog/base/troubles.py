"""Errors of one SQLite file under the names of the domain, each with the file it is about."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from healthlog.base import errors

Trouble = (
    errors.Damaged,
    errors.DiskFull,
    errors.IOFault,
    errors.NoDescriptors,
    errors.Inaccessible,
)
"""What somebody has to see to, unlike a lock that passes."""

_DESCRIPTORS_PROBED = 4


@contextmanager
def naming(path: Path, remedy: str) -> Iterator[None]:
    """Errors inside the block are raised under their names with `path` in front; the message of
    Damaged ends with `remedy`. Those of SQLite that have no name come out as they are."""
    try:
        with errors.naming():
            yield
    except errors.Damaged as error:
        raise errors.Damaged(f"{path} is damaged: {error}{remedy}") from error
    except errors.Circumstance as error:
        # Those of SQLite alone: a circumstance raised by the work speaks for itself.
        if not isinstance(error.__cause__, sqlite3.Error):
            raise
        raise type(error)(f"{path}: {error}") from error.__cause__
    except sqlite3.Error as error:
        if errors.sqlite_kind(error) != sqlite3.SQLITE_CANTOPEN:
            raise
        with errors.writing(path):
            _say_why(path)
        raise errors.Inaccessible(f"{path}: {error}") from error


def _say_why(path: Path) -> None:
    """Raise the system's reason why SQLite could not open its files, if it is still there."""
    path.stat()
    with ExitStack() as stack:
        # The folder and not the file: closing the file would drop this process's locks on it.
        # Several, as SQLite needs some for its side files.
        for _ in range(_DESCRIPTORS_PROBED):
            stack.callback(os.close, os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC))
    if not os.access(path.parent, os.W_OK):
        raise errors.Inaccessible(f"{path.parent}: nothing can be written there")
