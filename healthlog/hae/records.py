"""Sections that are no metrics: their elements to words about records."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from healthlog.hae.elements import Unfit
from healthlog.hae.identity import Dates, Identify
from healthlog.hae.metrics import Metrics
from healthlog.records.record import RecordWord
from healthlog.records.span import Span
from healthlog.records.text import field_text, series_length

_NO_MORE: Mapping[str, object] = {}


class RecordsReader:
    """Reads the sections of one body, section by section.

    `latest_ms` is the last instant believed (None: any); `check` is called now and then and may
    raise to end a reading that takes too long; `found` counts the elements of the whole body,
    with what was rejected of them.
    """

    def __init__(self, latest_ms: int | None, check: Callable[[], None], found: Metrics) -> None:
        self._dates = Dates(latest_ms)
        self._check = check
        self._found = found
        self._places: dict[str, int] = {}
        self.words: list[RecordWord] = []

    def section(
        self,
        name: str,
        value: object,
        identify: Identify,
        more: Mapping[str, object] = _NO_MORE,
    ) -> None:
        """Take in a section that isn't empty, under its name as sent; `more` are fields that are
        said of all its elements at once."""
        if not isinstance(value, list):
            self._found.received += 1
            self._found.rejections.add(name, name, "not_an_object")
            return
        first = self._places.get(name, 0)
        self._places[name] = first + len(value)
        for place, element in enumerate(value, first):
            self._check()
            where = f"{name}[{place}]"
            try:
                self.words.append(self._word(element, identify, more, where))
            except Unfit as unfit:
                self._found.rejections.add(name, where, str(unfit))
            self._found.received += 1

    def _word(
        self, element: object, identify: Identify, more: Mapping[str, object], where: str
    ) -> RecordWord:
        if not isinstance(element, dict):
            raise Unfit("not_an_object")
        whole = {**more, **element}
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
            where=where,
            ordinal=self._found.received,
            series=series,
        )


def _named(span: Span) -> tuple[tuple[int, int], ...]:
    return tuple(
        (one.at_ms, one.offset_min)
        for one in span
        if one is not None and one.offset_min is not None
    )
