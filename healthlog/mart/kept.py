"""Memories of what rows say, as sure as the transactions in which it was learned."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

MOST_NUMBERS = 20_000
"""So many numbers of a kind are remembered, at most: of quarters of an hour those of 200 days."""


class Kept(Generic[K, V]):
    """Values by their keys. Until `keep` everything can be taken back by `undo`."""

    def __init__(self) -> None:
        self._values: dict[K, V] = {}
        self._before: dict[K, V | None] = {}

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[K]:
        return iter(self._values)

    def get(self, key: K) -> V | None:
        return self._values.get(key)

    def put(self, key: K, value: V) -> None:
        self._before.setdefault(key, self._values.get(key))
        self._values[key] = value

    def drop(self, key: K) -> None:
        """Know nothing of a key any more."""
        value = self._values.pop(key, None)
        if value is not None:
            self._before.setdefault(key, value)

    def keep(self) -> None:
        """What was learned and dropped stays so."""
        self._before.clear()

    def undo(self) -> None:
        """Know what was known when it was kept."""
        for key, value in self._before.items():
            if value is None:
                self._values.pop(key, None)
            else:
                self._values[key] = value
        self._before.clear()

    def clear(self) -> None:
        """Know nothing at all, for good."""
        self._values.clear()
        self._before.clear()
