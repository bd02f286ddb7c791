"""What reading remembers from one body to the next, as a phone repeats most of it."""

from __future__ import annotations

from collections.abc import Mapping
from sys import getsizeof
from typing import NamedTuple

from healthlog.moment import Moments
from healthlog.records.record import RecordWord

_MOST = 2_000
_LONGEST_BYTES = 2_000


class Key(NamedTuple):
    """What tells an element apart from all that are read in another way: in which kind of section
    it stands, its members as they are spelled and in their order. 1, 1.0 and true are one to
    Python, and different things in a body."""

    section: object
    names: tuple[str, ...]
    values: tuple[object, ...]
    types: tuple[type, ...]


def key_of(section: object, element: Mapping[str, object]) -> Key | None:
    """The key of an element; None where it isn't flat."""
    values = tuple(element.values())
    types = tuple(map(type, values))
    return None if list in types or dict in types else Key(section, tuple(element), values, types)


class Memory:
    """Moments by their texts, and what short elements were read as. Of use to one thread."""

    def __init__(self) -> None:
        self.moments = Moments()
        self._words: dict[Key, RecordWord] = {}

    def word(self, key: Key) -> RecordWord | None:
        """What an element was read as."""
        return self._words.get(key)

    def keep(self, key: Key, word: RecordWord) -> None:
        """Remember what an element was read as, if it is short."""
        if sum(map(getsizeof, (*key.names, *key.values))) > _LONGEST_BYTES:
            return
        if len(self._words) >= _MOST:
            self._words.clear()
        self._words[key] = word
