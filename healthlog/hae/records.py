"""Sections that are no metrics: their elements to words about records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from healthlog.hae.arrays import Array, is_array
from healthlog.hae.elements import Unfit
from healthlog.hae.identity import Dates, Element, Identify
from healthlog.hae.memory import Memory, key_of
from healthlog.hae.metrics import Metrics
from healthlog.hae.room import Room
from healthlog.outline import Quarters
from healthlog.records.outline import RecordsOutline
from healthlog.records.record import WORD_BYTES, RecordWord
from healthlog.records.span import Span
from healthlog.records.text import field_text, series_length

_MANY = 1_000

_NO_MORE: Mapping[str, object] = {}


class _Section(NamedTuple):
    """One section as it was given to be read."""

    name: str
    elements: Array
    identify: Identify
    more: Mapping[str, object]


class RecordsReader:
    """Reads the sections of one body, section by section.

    `latest_ms` is the last instant believed (None: any); `check` is called now and then and may
    raise to end a reading that takes too long; `found` counts the elements of the whole body,
    with what was rejected of them; `memory` is that of earlier bodies. The `words` are held as
    long as there is `room` for all of them, else there is an `outline`. `named` are the quarters
    that each section names, by the ordinal of its first element: between those of one section none
    of another stands.
    """

    def __init__(
        self,
        latest_ms: int | None,
        check: Callable[[], None],
        found: Metrics,
        *,
        room: Room | None = None,
        memory: Memory | None = None,
    ) -> None:
        self._latest_ms = latest_ms
        self._memory = memory or Memory()
        self._dates = Dates(latest_ms, self._memory.moments)
        self._check = check
        self._found = found
        self._room = room
        self._places: dict[str, int] = {}
        self._sections: list[_Section] = []
        self.named: list[tuple[int, Quarters]] = []
        self.words: list[RecordWord] = []
        self.outline: RecordsOutline | None = None

    def section(
        self,
        name: str,
        value: object,
        identify: Identify,
        more: Mapping[str, object] = _NO_MORE,
    ) -> None:
        """Take in a section that isn't empty, under its name as sent; `more` are fields that are
        said of all its elements at once."""
        if not is_array(value):
            self._found.received += 1
            self._found.rejections.add(name, name, "not_an_object")
            return
        self._sections.append(_Section(name, value, identify, more))
        first, ordinal = self._places.get(name, 0), self._found.received
        self._places[name] = first + len(value)
        quarters, named = Quarters(), list[tuple[int, int]]()
        self.named.append((ordinal, quarters))
        for place, element in enumerate(value, first):
            self._check()
            try:
                word = self._word(element, identify, more)
            except Unfit as unfit:
                self._found.rejections.add(name, f"{name}[{place}]", str(unfit))
            else:
                self._take(word)
                named += word.named
                if len(named) > _MANY:
                    quarters.name(named)
                    named.clear()
            self._found.received += 1
        quarters.name(named)

    def _take(self, word: RecordWord) -> None:
        if self.outline is None and self._room and not self._room.take(word.weight):
            self._let_go(self._room)
        if self.outline is None:
            self.words.append(word)
        else:
            self.outline.add(word)

    def _let_go(self, room: Room) -> None:
        self.outline = RecordsOutline(self._again)
        for word in self.words:
            self.outline.add(word)
            room.give(word.weight)
        self.words = []

    def _again(self) -> Iterator[RecordWord]:
        """The words, read once more."""
        for section in self._sections:
            for element in section.elements:
                self._check()
                # What can't be taken was told at the first reading.
                with suppress(Unfit):
                    yield self._word(element, section.identify, section.more)

    def _word(self, element: object, identify: Identify, more: Mapping[str, object]) -> RecordWord:
        if not isinstance(element, dict):
            raise Unfit("not_an_object")
        whole = {**more, **element} if more else element
        key = key_of(identify, whole)
        known = None if key is None else self._memory.word(key)
        if known is not None and self._is_believed(known):
            return known
        word = self._read(whole, identify)
        if key is not None:
            self._memory.keep(key, word)
        return word

    def _is_believed(self, word: RecordWord) -> bool:
        """Whether nothing of it lies in the future."""
        latest_ms = self._latest_ms
        if latest_ms is None:
            return True
        start_ms, end_ms = word.start_ms, word.end_ms
        is_believed = start_ms is None or start_ms <= latest_ms
        return is_believed and (end_ms is None or end_ms <= latest_ms)

    def _read(self, whole: Element, identify: Identify) -> RecordWord:
        identity = identify(whole, self._dates)
        fields: dict[str, str] = {}
        series: dict[str, int] = {}
        for name, value in whole.items():
            text = None if name in identity.silent else field_text(value)
            if text is None:
                continue
            fields[name] = text
            length = series_length(value)
            if length is not None:
                series[name] = length
        start, end = identity.span
        return RecordWord(
            kind=identity.kind,
            key=identity.key,
            start_ms=None if start is None else start.at_ms,
            end_ms=None if end is None else end.at_ms,
            named=_named(identity.span),
            fields=fields,
            series=series,
            weight=WORD_BYTES + sum(map(len, fields.values())),
        )


def _named(span: Span) -> tuple[tuple[int, int], ...]:
    return tuple(
        (one.at_ms, one.offset_min)
        for one in span
        if one is not None and one.offset_min is not None
    )
