"""One day of the log: amounts, levels, the night it woke from, its workouts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from healthlog.moment import day_text, instant_text
from healthlog.nights.nights import Night
from healthlog.records import derive
from healthlog.records.record import Record
from healthlog.series.buckets import Offsets, Stretch
from healthlog.series.catalogue import SUM, Entry

Item = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Told:
    """What a series tells of a day: the metric, the unit of its values, its items."""

    entry: Entry
    unit: str | None
    items: Sequence[Item]


def day(
    date: int,
    told: Iterable[Told],
    nights: Iterable[Night],
    workouts: Iterable[Record],
    *,
    view: Callable[[Record], Item],
    offsets: Offsets,
    notes: Sequence[Item] = (),
) -> dict[str, object]:
    """The object of a date (days since 1970): `totals` and `levels` by metric, the longest `night`
    that ended on it, all other sleep as `naps`, `workouts` without their series, `notes`."""
    series = [one for one in told if one.items]
    night, naps = sleep_of(date, nights)
    return {
        "day": day_text(date),
        "totals": by_metric(one for one in series if one.entry.aggregate == SUM),
        "levels": by_metric(one for one in series if one.entry.aggregate != SUM),
        "night": None if night is None else night_view(night, offsets),
        "naps": [night_view(one, offsets) for one in naps],
        "workouts": [_short(view(one)) for one in workouts if _day(one, offsets) == date],
        "notes": list(notes),
    }


def sleep_of(date: int, nights: Iterable[Night]) -> tuple[Night | None, list[Night]]:
    """The longest night that ended on a date (days since 1970), then all other sleep that did."""
    slept = sorted((one for one in nights if one.day == date), key=_weight, reverse=True)
    night = next((one for one in slept if not one.is_nap), None)
    return night, sorted((one for one in slept if one is not night), key=lambda one: one.slept)


def night_view(night: Night, offsets: Offsets) -> dict[str, object]:
    """A night as an answer shows it, its hours by what was done in them. What nobody has measured
    is left out."""
    start, end = _texts(night.slept, offsets)
    bed_start, bed_end = (None, None) if night.bed is None else _texts(night.bed, offsets)
    members: list[tuple[str, object]] = [
        ("session", derive.NAP if night.is_nap else derive.NIGHT),
        ("day", day_text(night.day)),
        ("start", start),
        ("end", end),
        ("bed_start", bed_start),
        ("bed_end", bed_end),
        ("total_h", night.asleep_h),
        ("in_bed_h", night.in_bed_h),
        *((f"{stage}_h", hours) for stage, hours in night.hours.items()),
        ("sources", list(night.sources)),
        ("keys", list(night.keys)),
        ("flags", list(night.flags) or None),
    ]
    return {name: value for name, value in members if value is not None}


def by_metric(told: Iterable[Told]) -> dict[str, dict[str, object]]:
    """What each metric says of the day; `also` what it says in a unit that can't be converted."""
    found: dict[str, dict[str, object]] = {}
    for one in told:
        first, *others = [{"unit": one.unit} | _without_start(item) for item in one.items]
        more = {"aggregate": one.entry.aggregate} if one.entry.aggregate != SUM else {}
        also = {"also": others} if others else {}
        found[one.entry.metric] = {**first, **more, **also}
    return found


def _without_start(item: Item) -> dict[str, object]:
    return {name: value for name, value in item.items() if name != "start"}


def _short(workout: Item) -> dict[str, object]:
    """A workout without its series: those of one alone may be longer than all else of the day."""
    data = workout.get("data")
    kept = data if isinstance(data, Mapping) else {}
    return {
        **workout,
        "data": {name: value for name, value in kept.items() if not isinstance(value, list)},
    }


def _day(record: Record, offsets: Offsets) -> int | None:
    return derive.day(record.kind, record.start_ms, record.end_ms, offsets.offset_min)


def _weight(night: Night) -> tuple[float, Stretch]:
    return (night.asleep_h or night.in_bed_h or 0.0, night.slept)


def _texts(stretch: Stretch, offsets: Offsets) -> tuple[str, str]:
    first, last = (instant_text(at_ms, offsets.offset_min(at_ms)) for at_ms in stretch)
    return first, last
