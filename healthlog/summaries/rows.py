"""What is kept of days, nights, workouts: the answers of the program, as rows."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any

from healthlog.days import night_view
from healthlog.layer import DAY
from healthlog.mart.offsets import Offsets
from healthlog.moment import DAY_MS, day_text, instant_text
from healthlog.read import series as read_series
from healthlog.read.days import slept
from healthlog.read.records import records
from healthlog.read.series import Question
from healthlog.records import derive
from healthlog.records.record import WORKOUT, Record
from healthlog.series import counted, units
from healthlog.series.buckets import FAR_MS
from healthlog.series.shelf import Dates
from healthlog.series.source_order import SourceOrder
from healthlog.span import Edge, Span
from healthlog.values import number, words

Row = tuple[Any, ...]

_OF_NIGHT = ("session", "start", "end", "bed_start", "bed_end")
_HOURS = ("total_h", "in_bed_h", "deep_h", "core_h", "rem_h", "asleep_h", "awake_h")


def days(
    connection: sqlite3.Connection, metric: str, dates: Dates, order: SourceOrder
) -> Iterator[Row]:
    """Rows of the days of a metric, made of its readings: each item of its series by day, one row
    for each of its values."""
    found = read_series.made(connection, Question(metric, DAY, order=order), *dates)
    fields = found.entry.by_field or (None,)
    for answer, items in found.answers:
        rows = ((item, field) for item in items for field in fields)
        for place, (item, field) in enumerate(rows):
            yield (
                metric,
                answer.start * DAY_MS,
                place,
                item["start"],
                field,
                *(_number(item.get(name), field) for name in ("value", "min", "max")),
                item.get("unit", found.unit),
                found.entry.aggregate,
                item["layer"],
                int(bool(item["open"])),
                _text(item["sources"]),
                None if place else counted.text_of(answer),
            )


def nights(connection: sqlite3.Connection, dates: Dates, order: SourceOrder) -> Iterator[Row]:
    """Rows of the nights and naps that ended on these dates."""
    offsets = Offsets(connection)
    for night in slept(connection, *dates, order):
        shown = night_view(night, offsets)
        flags = _text(shown["flags"]) if "flags" in shown else None
        yield (
            night.day * DAY_MS,
            *night.slept,
            shown["day"],
            *(shown.get(name) for name in _OF_NIGHT),
            *(_number(shown.get(name), None) for name in _HOURS),
            _text(shown["sources"]),
            flags,
            _text(shown["keys"]),
        )


def workouts(connection: sqlite3.Connection, dates: Dates) -> Iterator[Row]:
    """Rows of the workouts that began on these dates."""
    offsets = Offsets(connection)
    wide = Span(
        Edge((dates.first * DAY_MS - FAR_MS) * 1000, dates.first),
        Edge((dates.last * DAY_MS + FAR_MS) * 1000, dates.last),
    )
    for record in records(connection, WORKOUT, wide):
        edges = record.start_ms, record.end_ms
        date = derive.day(WORKOUT, *edges, offsets.offset_min)
        if date is not None and dates.first <= date < dates.last:
            yield _workout(record, date, offsets)


def _workout(record: Record, date: int, offsets: Offsets) -> Row:
    """A workout in fixed units; None for what was not recorded, or in a unit that nobody knows."""
    data = record.data
    return (
        date * DAY_MS,
        record.key,
        day_text(date),
        record.start_ms,
        record.end_ms,
        words(data.get("name")),
        _instant(record.start_ms, offsets),
        _instant(record.end_ms, offsets),
        number(data.get("duration")),
        _measured(data, "km", "distance"),
        _measured(data, "kcal", "activeEnergyBurned", "activeEnergy"),
        _heart(data, "avgHeartRate", "avg"),
        _heart(data, "maxHeartRate", "max"),
        words(data.get("location")),
        _text(list(record.flags)) if record.flags else None,
    )


def _heart(data: Mapping[str, Any], name: str, within: str) -> float | None:
    """A heart rate that stands by itself, or among those of the workout."""
    of_workout = data.get("heartRate")
    inner = of_workout.get(within) if isinstance(of_workout, dict) else None
    return _measured({"outer": data.get(name), "inner": inner}, None, "outer", "inner")


def _measured(data: Mapping[str, Any], unit: str | None, *names: str) -> float | None:
    """The first of these quantities that there is, in a unit, or as it is."""
    for name in names:
        found = data.get(name)
        if isinstance(found, dict):
            qty = number(found.get("qty"))
            convert = units.converter("", found.get("units"), unit) if unit else float
            if qty is not None and convert is not None:
                return convert(qty)
        elif unit is None and not isinstance(found, list) and (plain := number(found)) is not None:
            return plain
    return None


def _instant(at_ms: int | None, offsets: Offsets) -> str | None:
    return None if at_ms is None else instant_text(at_ms, offsets.offset_min(at_ms))


def _number(value: object, field: str | None) -> float | None:
    if isinstance(value, dict):
        value = value.get(field)
    return float(value) if isinstance(value, int | float) else None


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
