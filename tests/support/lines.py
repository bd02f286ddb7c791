"""Readings as plain values, and a shelf of them, for series without a mart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

from healthlog.layer import DATED, DAY, SAMPLE
from healthlog.moment import DAY_MS, EPOCH_ORDINAL, HOUR_MS, MINUTE_MS, day_text, instant_text
from healthlog.series.answer import Answer
from healthlog.series.buckets import Change, Stretch, Zones, local_day
from healthlog.series.catalogue import AVG, SUM, Entry
from healthlog.series.line import Figure, Line, Word
from healthlog.series.measure import Measure
from healthlog.series.resolve import LONGEST_MS
from healthlog.series.series import Series
from healthlog.series.source_order import SourceOrder

BERLIN = timezone(timedelta(hours=2))
NO_CLOCK = Zones([])
CEST = Zones([Change(0, 120)])

STEPS = Entry("step_count", SUM, "count")
PULSE = Entry("heart_rate", AVG, "count/min")
WEIGHT = Entry("weight_body_mass", "last", "kg")


def at(text: str, hours: float = 2) -> int:
    """Instant (ms) of a wall time of 2026 as `06-01 12:30`, in an offset."""
    form = "%Y-%m-%d %H:%M:%S" if text.count(":") == 2 else "%Y-%m-%d %H:%M"
    local = datetime.strptime(f"2026-{text}", form).replace(tzinfo=timezone(timedelta(hours=hours)))
    return round(local.timestamp() * 1000)


def day_of(text: str) -> int:
    """Days since 1970 of a date of 2026, or of any as `2025-12-31`."""
    whole = text if len(text) > 5 else f"2026-{text}"
    return date.fromisoformat(whole).toordinal() - EPOCH_ORDINAL


def word(number: int = 1, spoke: str = "12-31 12:00") -> Word:
    """The word of a delivery: a greater number ranks higher; it was spoken at a wall time in UTC,
    by default when everything was over."""
    spoke_at_us = at(spoke, 0) * 1000
    return Word((number, number, f"{number:04}"), spoke_at_us)


def line(start: str | int, value: float | None = 1.0, *sources: str, **more: Any) -> Line:
    """A reading that begins at a wall time in UTC+2; `minutes` is the length of a sample."""
    at_ms = at(start) if isinstance(start, str) else start
    figure = Figure(value, more.pop("low", value), more.pop("high", value))
    plain: dict[str, Any] = {
        "at_ms": at_ms,
        "length_ms": round(more.pop("minutes", 0) * MINUTE_MS),
        "date": 0,
        "offset_min": 0,
        "figures": (figure,),
        "unit": "count",
        "sources": tuple(sorted(sources)),
        "word": word(),
    }
    return Line(**{**plain, **more})


def dated(first: str, value: float | None = 1.0, *sources: str, **more: Any) -> Line:
    """A row of a day, week, month or year that begins at midnight in UTC+2."""
    day = day_of(first)
    start_ms = day * DAY_MS - 120 * MINUTE_MS
    return line(start_ms, value, *sources, **{"date": day, "offset_min": 120, **more})


def many(first: str, count: int, minutes: float, value: float = 1.0, **more: Any) -> list[Line]:
    """Readings of one value at equal distances."""
    start_ms = at(first)
    return [line(start_ms + round(n * minutes * MINUTE_MS), value, **more) for n in range(count)]


@dataclass
class PlainShelf:
    """Implements `healthlog.shelf.Shelf` over lists; `asked` are the stretches it was asked for."""

    rows: Mapping[str, Sequence[Line]]
    clock: Zones = CEST
    heard_at_us: int = 0
    asked: list[tuple[str, int, int]] = field(default_factory=list)

    @property
    def layers(self) -> frozenset[str]:
        return frozenset(self.rows)

    def dated(self, layer: str, first: int, last: int) -> list[Line]:
        self.asked.append((layer, first, last))
        return sorted(line for line in self.rows[layer] if first <= line.date < last)

    def timed(self, layer: str, stretch: Stretch) -> list[Line]:
        self.asked.append((layer, *stretch))
        first_ms, last_ms = stretch
        return sorted(line for line in self.rows[layer] if first_ms <= line.at_ms < last_ms)

    def zones(self, _: Stretch) -> Zones:
        return self.clock

    def next_date(self, layers: frozenset[str], date: int) -> int | None:
        found = [self._date(layer, line) for layer in layers for line in self.rows[layer]]
        return min((max(one, date) for one in found if one >= date - 1), default=None)

    def next_ms(self, layers: frozenset[str], at_ms: int) -> int | None:
        found = [
            line.at_ms
            for layer in layers
            for line in self.rows[layer]
            if line.at_ms >= at_ms - (LONGEST_MS if layer == SAMPLE else 0)
        ]
        return max(at_ms, min(found)) if found else None

    def _date(self, layer: str, line: Line) -> int:
        return line.date if layer in DATED else local_day(line.at_ms, self.clock)


def series(
    rows: Mapping[str, Sequence[Line]],
    entry: Entry = STEPS,
    *,
    clock: Zones = CEST,
    heard: str | None = None,
    order: SourceOrder | None = None,
) -> Series:
    """A series over plain readings by their layers; `heard` is when the metric was last spoken
    of."""
    heard_at_us = 0 if heard is None else at(heard, 0) * 1000
    shelf = PlainShelf(rows, clock, heard_at_us)
    return Series(shelf, Measure(entry, entry.unit), order or SourceOrder())


def value(answer: Answer, entry: Entry = STEPS) -> float | None:
    [in_unit] = Measure(entry, entry.unit).of(answer.tally)
    return in_unit.numbers[0].value


def days(
    rows: Mapping[str, Sequence[Line]],
    first: str = "01-01",
    last: str = "12-31",
    *,
    bucket: str = DAY,
    entry: Entry = STEPS,
    **more: Any,
) -> dict[str, tuple[float | None, str]]:
    """Values of days (or longer buckets) with the layers they are from, by date."""
    answers = series(rows, entry, **more).dates(bucket, day_of(first), day_of(last))
    return {
        day_text(one.start): (value(one, entry), "+".join(sorted(one.layers))) for one in answers
    }


def instants(
    rows: Mapping[str, Sequence[Line]],
    bucket: str,
    first: str,
    last: str,
    *,
    entry: Entry = STEPS,
    hours: float = 2,
    **more: Any,
) -> dict[str, tuple[float | None, str]]:
    """Values of hours or minutes with the layers they are from, by their local start in an
    offset."""
    stretch = Stretch(at(first, hours), at(last, hours))
    answers = series(rows, entry, **more).instants(bucket, stretch)
    return {
        instant_text(one.start, round(hours * 60))[5:16].replace("T", " "): (
            value(one, entry),
            "+".join(sorted(one.layers)),
        )
        for one in answers
    }


def openness(answers: Iterable[Answer]) -> list[bool]:
    return [one.open for one in answers]


__all__ = [
    "BERLIN", "CEST", "HOUR_MS", "NO_CLOCK", "PULSE", "STEPS", "UTC", "WEIGHT", "PlainShelf", "at",
    "dated", "day_of", "days", "instants", "line", "many", "openness", "series", "value", "word",
]  # fmt: skip
