"""The files of an earlier backup, found again in the order of their paths."""

from __future__ import annotations

from collections.abc import Iterator

from healthlog.backup.manifest import Entry


class Recorded:
    """Entries in ascending order of their paths, asked for in that order too: none is kept in
    memory but those nobody asked for."""

    def __init__(self, entries: Iterator[Entry]) -> None:
        self._entries = entries
        self._next = next(entries, None)
        self._passed: list[str] = []

    def find(self, path: str) -> Entry | None:
        """The entry of a path greater than that of the call before; None if there is none."""
        while self._next is not None and self._next.path < path:
            self._passed.append(self._next.path)
            self._next = next(self._entries, None)
        if self._next is None or self._next.path != path:
            return None
        found, self._next = self._next, next(self._entries, None)
        return found

    def rest(self) -> list[str]:
        """The paths nobody asked for."""
        while self._next is not None:
            self._passed.append(self._next.path)
            self._next = next(self._entries, None)
        return self._passed
