"""The two roots of every expected error: not done (circumstance), never will be (refusal)."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import TracebackType


class Circumstance(Exception):
    """Not done; says nothing about the input, which may be tried again unchanged."""


class Refusal(Exception):
    """A property of the input: trying again cannot help."""


class Busy(Circumstance):
    """The database stayed locked beyond the retries."""


class DiskFull(Circumstance):
    """No room on the disk, within the quota, or within the process's file size limit."""


class IOFault(Circumstance):
    """The device failed to read or write."""


class NoDescriptors(Circumstance):
    """The process or the system has no file descriptor left."""


class Inaccessible(Circumstance):
    """A file can't be opened or written: read-only, not permitted, or its folder is gone."""


class Stopped(Circumstance):
    """Somebody outside asked for a stop."""


class Damaged(Exception):
    """The database file is corrupt, or is no database."""


_BY_ERRNO: dict[int, type[Exception]] = {
    errno.ENOSPC: DiskFull,
    errno.EDQUOT: DiskFull,
    errno.EFBIG: DiskFull,
    errno.EIO: IOFault,
    errno.EMFILE: NoDescriptors,
    errno.ENFILE: NoDescriptors,
    errno.EROFS: Inaccessible,
}
_FORBIDDEN = frozenset((errno.EACCES, errno.EPERM))
# To a reader these may mean that there is nothing to be read; to a writer only that the place where
# the file belongs is not as it was.
_OF_WRITING = _FORBIDDEN | {errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP}
_BY_SQLITE_CODE: dict[int, type[Exception]] = {
    sqlite3.SQLITE_BUSY: Busy,
    sqlite3.SQLITE_LOCKED: Busy,
    sqlite3.SQLITE_FULL: DiskFull,
    sqlite3.SQLITE_IOERR: IOFault,
    sqlite3.SQLITE_READONLY: Inaccessible,
    sqlite3.SQLITE_PERM: Inaccessible,
    sqlite3.SQLITE_CORRUPT: Damaged,
    sqlite3.SQLITE_NOTADB: Damaged,
}


# Raised by Python's module itself, with the stored text behind it.
_NOT_UTF_8 = "Could not decode to UTF-8"


def is_circumstance(error: BaseException) -> bool:
    """Whether the error says nothing about the input: the one place that decides it."""
    return isinstance(error, Circumstance)


def named(error: OSError | sqlite3.Error) -> Exception:
    """The domain error that stands for `error`, or `error` itself when none does."""
    if isinstance(error, OSError):
        kind = _BY_ERRNO.get(error.errno or 0)
    elif str(error).startswith(_NOT_UTF_8):
        return Damaged("a text in it is no UTF-8 any more")
    else:
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_IOERR_SHMSIZE:
            # "disk I/O error" to SQLite: the index of its log can't grow.
            return DiskFull("database or disk is full")
        # The low byte is the kind; the rest tells where it happened (SQLITE_IOERR_FSYNC, ...).
        kind = _BY_SQLITE_CODE.get(sqlite_kind(error))
    return error if kind is None else kind(str(error))


def sqlite_kind(error: sqlite3.Error) -> int:
    """Primary result code of SQLite, 0 for errors of the Python module itself."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF


def told(error: BaseException) -> str:
    """What may be said of an error: its text, but its type alone where Python's SQLite module
    chose the words, for those may quote what is stored."""
    if isinstance(error, sqlite3.Error) and not hasattr(error, "sqlite_errorcode"):
        return type(error).__qualname__
    return str(error)


def reading(path: Path) -> AbstractContextManager[None]:
    """As `naming`, for a reader of `path`, which the message begins with. A file that must not be
    read is Inaccessible; one that isn't there is not."""
    return _OfFile(path, _FORBIDDEN)


def writing(path: Path) -> AbstractContextManager[None]:
    """As `naming`, for the writer of `path`, which the message begins with. What is not as it was
    where the file belongs is Inaccessible."""
    return _OfFile(path, _OF_WRITING)


class _OfFile:
    # No generator: a delivery enters twenty of them.
    __slots__ = ("_inaccessible", "_path")

    def __init__(self, path: Path, inaccessible: frozenset[int]) -> None:
        self._path = path
        self._inaccessible = inaccessible

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not isinstance(error, OSError):
            return
        better = Inaccessible("") if error.errno in self._inaccessible else named(error)
        if better is not error:
            raise type(better)(f"{self._path}: {error.strerror or error}") from error


@contextmanager
def naming() -> Iterator[None]:
    """Inside the block, errors of the system and of SQLite are raised under their domain name."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        better = named(error)
        if better is error:
            raise
        raise better from error
