"""Records of a body that are not held, but read again."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise

from healthlog.records.record import RecordWord

_TOGETHER_BYTES = 128 * 1024
_HELD_BYTES = 64 * 1024 * 1024


class _Repeated:
    """The words of one record, or of several, that are held until the last of them has come: one
    that says what an earlier one said as that one again. `weight` in bytes."""

    def __init__(self) -> None:
        self.words: list[RecordWord] = []
        self.weight = 0
        self._known: dict[int, RecordWord] = {}

    def add(self, word: RecordWord) -> int:
        """Hold one more; how many bytes that takes."""
        known = self._known.setdefault(hash(frozenset(word.fields.items())), word)
        if known is not word and _says_the_same(known, word):
            self.words.append(known)
            return 0
        self.words.append(word)
        self.weight += word.weight
        return word.weight


class RecordsOutline:
    """What has to be known of words that are not held: how many there are, which records are spoken
    of more than once. `again` reads them once more."""

    def __init__(self, again: Callable[[], Iterator[RecordWord]]) -> None:
        self.count = 0
        self._again = again
        self._keys = array("q")

    def add(self, word: RecordWord) -> None:
        """Take in a word."""
        self.count += 1
        self._keys.append(_key(word))

    def words(self) -> Iterator[list[RecordWord]]:
        """The words, some at a time, those of one record together. MemoryError where too much has
        to be held until a record was spoken of for the last time."""
        alone: list[RecordWord] = []
        waiting = defaultdict[int, _Repeated](_Repeated)
        repeated, weight, held = self._repeated(), 0, 0
        for word in self._again():
            key = _key(word)
            if key not in repeated:
                alone.append(word)
                weight += word.weight
                if weight >= _TOGETHER_BYTES:
                    yield alone
                    alone, weight = [], 0
                continue
            together = waiting[key]
            held += together.add(word)
            if held > _HELD_BYTES:
                raise MemoryError("it speaks of too many records several times")
            if len(together.words) == repeated[key]:
                held -= together.weight
                yield waiting.pop(key).words
        if alone:
            yield alone

    def _repeated(self) -> Mapping[int, int]:
        """How often each key comes that comes more than once."""
        ordered = sorted(self._keys)
        twice = {one for one, other in pairwise(ordered) if one == other}
        return Counter(key for key in ordered if key in twice)


def _says_the_same(one: RecordWord, other: RecordWord) -> bool:
    return (one.kind, one.key, one.fields) == (other.kind, other.key, other.fields)


def _key(word: RecordWord) -> int:
    """A number for a record; that two have the same one does no harm."""
    return hash((word.kind, word.key))
