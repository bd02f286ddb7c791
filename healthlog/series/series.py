"""One value for each bucket of time: which layer answers for it, or its parts."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from healthlog.layer import DAY, HOUR, MINUTE, MONTH, RAW, SAMPLE, WEEK, YEAR
from healthlog.moment import DAY_MS, HOUR_MS, MINUTE_MS
from healthlog.series.answer import Answer, Gathering, decided, of_parts
from healthlog.series.buckets import (
    FAR_MS,
    Stretch,
    begins_on,
    first_date,
    instants_of,
    next_date,
)
from healthlog.series.hours import Timed
from healthlog.series.line import Line
from healthlog.series.measure import Measure
from healthlog.series.shelf import Dates, KeptDays, Shelf
from healthlog.series.source_order import SourceOrder

PARTS: Mapping[str, str] = {WEEK: DAY, MONTH: DAY, YEAR: MONTH}
"""Of what a bucket of dates is made where its own layer doesn't answer; a day, of hours."""

_FINE = frozenset((SAMPLE, RAW, MINUTE, HOUR))
LAYERS_OF: Mapping[str, frozenset[str]] = {
    MINUTE: _FINE - {HOUR},
    HOUR: _FINE,
    DAY: _FINE | {DAY},
    WEEK: _FINE | {DAY, WEEK},
    MONTH: _FINE | {DAY, MONTH},
    YEAR: _FINE | {DAY, MONTH, YEAR},
}
"""The layers that a bucket may be answered from."""

_MARGIN_MS = FAR_MS + 3 * HOUR_MS


@dataclass(frozen=True, slots=True)
class Series:
    """The series of one metric, read from a shelf as far as it is asked for."""

    shelf: Shelf
    measure: Measure
    order: SourceOrder
    kept: KeptDays | None = None

    def instants(self, bucket: str, stretch: Stretch) -> list[Answer]:
        """Answers of the minutes or hours that begin within a stretch, in their order."""
        clock = Stretch(stretch.first_ms - 3 * HOUR_MS, stretch.last_ms + 3 * HOUR_MS)
        offsets = self.shelf.zones(clock)
        timed = Timed(self.shelf, self.measure, self.order)
        return (timed.minutes if bucket == MINUTE else timed.hours)(stretch, offsets)

    def dates(self, bucket: str, first: int, last: int) -> Iterator[Answer]:
        """Answers of the days, weeks, months or years that begin on a date from `first` to before
        `last`, in their order; of days those that are kept are taken as they are."""
        if bucket != DAY or self.kept is None:
            yield from self._made(bucket, first, last)
            return
        for piece in self.kept.pieces(Dates(first, last)):
            dates = Dates(piece.first, piece.last)
            yield from self.kept.answers(dates) if piece.fresh else self._made(DAY, *dates)

    def _made(self, bucket: str, first: int, last: int) -> Iterator[Answer]:
        """The same out of the readings."""
        own = self._own(bucket, first, last)
        finer = self.shelf.layers & (LAYERS_OF[bucket] - {bucket})
        for start in self._starts(bucket, sorted(own), finer, Dates(first, last)):
            answer = self._answer(bucket, start, own.get(start, ()), finer)
            if answer is not None:
                yield answer

    def _starts(
        self, bucket: str, own: Sequence[int], finer: frozenset[str], dates: Dates
    ) -> Iterator[int]:
        """Where those buckets begin of which something may be said."""
        at = dates.first
        fine = at - 1 if finer else None  # nothing finer stands from `at` to before this date
        while at < dates.last:
            number = bisect_left(own, at)
            found = own[number : number + 1]
            if fine is not None and found != [at]:
                if fine < at:
                    fine = self.shelf.next_date(finer, at)
                if fine is not None:
                    found = [*found, _not_before(bucket, fine, at)]
            ahead = min(found, default=dates.last)
            if ahead < dates.last:
                yield ahead
            at = next_date(bucket, ahead)

    def _own(self, bucket: str, first: int, last: int) -> dict[int, list[Line]]:
        """The rows of the bucket's own layer by their date. A week, month or year answers only
        for the bucket that begins on its date."""
        by_date: defaultdict[int, list[Line]] = defaultdict(list)
        if bucket in self.shelf.layers:
            for line in self.shelf.dated(bucket, first, last):
                if begins_on(bucket, line.date):
                    by_date[line.date].append(line)
        return dict(by_date)

    def _answer(
        self, bucket: str, start: int, rows: Sequence[Line], finer: frozenset[str]
    ) -> Answer | None:
        own = self._of_rows(bucket, start, [line for line in rows if not line.elsewhere])
        if own is not None and not own.open:
            return own
        parts = self._of_parts(bucket, start) if finer else None
        if own is None and parts is None:
            # What the clock puts elsewhere answers only where nothing else is there.
            return self._of_rows(bucket, start, rows)
        return decided(self.measure, own, parts)

    def _of_rows(self, bucket: str, start: int, rows: Sequence[Line]) -> Answer | None:
        """The answer of a bucket's own rows; each counts, whenever it begins."""
        if not rows:
            return None
        gathering = Gathering()
        for line in rows:
            gathering.add(line, line.figures, line.at_ms)
        last = max(rows, key=lambda line: line.at_ms)
        offset_min = last.offset_min + self.measure.entry.ahead_min
        return gathering.of_dates(bucket, start, next_date(bucket, start), offset_min)

    def _of_parts(self, bucket: str, start: int) -> Answer | None:
        following = next_date(bucket, start)
        if bucket == DAY:
            parts = self._hours_of(start)
        else:
            parts = list(self.dates(PARTS[bucket], start, following))
        if not parts:
            return None
        # A day is complete when somebody spoke of it after its end. In a week, month or year there
        # may be nothing to say of the last days: there it is enough that the metric was heard of.
        heard_at_us = 0 if bucket == DAY else self.shelf.heard_at_us
        answer = of_parts(start, following, parts, heard_at_us)
        answer.tally.settle()
        return answer

    def _hours_of(self, date: int) -> list[Answer]:
        ahead_min = self.measure.entry.ahead_min
        before_ms = _MARGIN_MS + ahead_min * MINUTE_MS
        around = Stretch(date * DAY_MS - before_ms, (date + 1) * DAY_MS + _MARGIN_MS)
        zones = self.shelf.zones(around).ahead(ahead_min)
        first_ms, last_ms = instants_of(zones, date, date + 1)
        if first_ms == last_ms:
            return []
        # An hour that began under another clock may have its first reading on this date.
        hours = Timed(self.shelf, self.measure, self.order).hours(
            Stretch(first_ms - HOUR_MS, last_ms), zones
        )
        return [hour for hour in hours if hour.day == date]


def _not_before(bucket: str, date: int, at: int) -> int:
    """Where the bucket of a date begins; if that is before `at`, where the next one does."""
    start = first_date(bucket, date)
    return start if start >= at else next_date(bucket, start)
