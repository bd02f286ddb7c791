"""The gap ledger: what is missing of each metric, with the export of the phone that heals it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import zip_longest

from healthlog.gaps import HOUR_DAYS, Days, Hours, missing_days, missing_hours
from healthlog.layer import DATED, DENSE, SAMPLE
from healthlog.mart.offsets import Offsets
from healthlog.moment import DAY_MS, HOUR_MS, MINUTE_MS, day_text
from healthlog.read.clock import zones
from healthlog.series.buckets import FAR_MS, Stretch

AROUND_DAYS = 60
"""So long before the dates that are asked for begins what their rhythm is told by, and so long
behind them it ends."""

_METRICS = (
    "SELECT metric, layer, series FROM series WHERE points > 0 AND last_at_ms >= ?"
    " AND layer NOT IN ('week', 'month', 'year') ORDER BY metric, layer"
)
# From one reading to the first behind the day or hour it lies in, by the clock: never a scan.
_NEXT = (
    "SELECT at_ms FROM point WHERE series = :series AND at_ms >= {from_ms} AND at_ms < :end_ms"
    " ORDER BY at_ms LIMIT 1"
)
_BEHIND = "found.at_ms + :step_ms - ((found.at_ms + :ahead_ms) % :step_ms + :step_ms) % :step_ms"
_STEPS = (
    f"WITH RECURSIVE found (at_ms) AS (SELECT ({_NEXT.format(from_ms=':first_ms')}) UNION ALL"
    f" SELECT ({_NEXT.format(from_ms=_BEHIND)}) FROM found WHERE found.at_ms IS NOT NULL)"
    " SELECT at_ms{more} FROM found WHERE at_ms IS NOT NULL"
)
_LASTS = (
    ", (SELECT sub FROM point WHERE series = :series AND at_ms = found.at_ms ORDER BY sub LIMIT 1)"
)
_DATES = "SELECT DISTINCT sub FROM point WHERE series = ? AND at_ms >= ? AND at_ms < ?"

_Spans = dict[str, dict[str, int]]


def gaps(
    connection: sqlite3.Connection, first: int, until: int, now_ms: int
) -> list[dict[str, object]]:
    """What is missing of the dates from `first` to before `until` (days since 1970), by metric and
    time; the day and the hour of `now_ms` are not over yet. Days are told whole, also where they
    begin before or end behind.

    Of days `from` is the first and `to` the day after the last; of hours they are wall times.
    `export` has the first and the last date that a manual export has to hold.
    """
    offsets = Offsets(connection)
    found: list[dict[str, object]] = []
    begin, end = first - AROUND_DAYS, until + AROUND_DAYS
    presence = _Presence(connection, offsets, range(begin, end), range(first, until))
    today, hour = divmod((now_ms + offsets.offset_min(now_ms) * MINUTE_MS) // HOUR_MS, 24)
    for metric, layers in _metrics(connection, begin).items():
        days, hours = presence.of(layers, metric in DENSE)
        found += [
            _days(metric, gap)
            for gap in missing_days(days, min(end, today))
            if gap.last >= first and gap.first < until
        ]
        found += [
            _hours(metric, gap)
            for gap in missing_hours(hours, (today, hour))
            if first <= gap.day < until
        ]
    return found


def _metrics(connection: sqlite3.Connection, begin: int) -> _Spans:
    """The series of each metric by their layers, of those heard since a date."""
    found: _Spans = {}
    for metric, layer, series in connection.execute(_METRICS, (begin * DAY_MS - FAR_MS,)):
        found.setdefault(metric, {})[layer] = series
    return found


class _Presence:
    """When there are readings on some dates, of which those `asked` for are in the middle."""

    def __init__(
        self, connection: sqlite3.Connection, offsets: Offsets, dates: range, asked: range
    ) -> None:
        self._connection = connection
        self._dates = dates
        self._asked = asked
        self._clock = zones(connection, offsets, _around(dates)).changes

    def of(self, layers: dict[str, int], by_hour: bool) -> tuple[set[int], set[tuple[int, int]]]:
        """The local dates with a reading of these series, with `by_hour` the hours, too, of as many
        dates before and behind those that are asked for as tell of them."""
        dated: set[int] = set()
        days: set[int] = set()
        for layer, series in layers.items():
            if layer in DATED:
                dated |= self._dated(series)
            else:
                found = self._hours(series, layer, DAY_MS, self._dates)
                days |= {hour // 24 for hour in found}
        if not by_hour:
            return dated | days, set()
        before = sorted(day for day in days if day < self._asked.start)[-HOUR_DAYS:]
        behind = sorted(day for day in days if day >= self._asked.stop)[:HOUR_DAYS]
        dates = range(
            before[0] if len(before) == HOUR_DAYS else self._dates.start,
            behind[-1] + 1 if len(behind) == HOUR_DAYS else self._dates.stop,
        )
        hours = {
            divmod(hour, 24)
            for layer, series in layers.items()
            if layer not in DATED
            for hour in self._hours(series, layer, HOUR_MS, dates)
        }
        return dated | days | {day for day, _ in hours}, hours

    def _dated(self, series: int) -> set[int]:
        rows = self._connection.execute(_DATES, (series, *_around(self._dates)))
        return {day for (day,) in rows if day in self._dates}

    def _hours(self, series: int, layer: str, step_ms: int, dates: range) -> Iterator[int]:
        """Local hours (since 1970) of the first reading in each step of time that has one, as far
        as they lie on these dates."""
        hours = range(dates.start * 24, dates.stop * 24)
        for hour in self._steps(series, layer, step_ms, dates):
            if hour in hours:
                yield hour

    def _steps(self, series: int, layer: str, step_ms: int, dates: range) -> Iterator[int]:
        first_ms, last_ms = _around(dates)
        sql = _STEPS.format(more=_LASTS if layer == SAMPLE else "")
        for change, following in zip_longest(self._clock, self._clock[1:]):
            ahead_ms = change.offset_min * MINUTE_MS
            asked = {
                "series": series,
                "first_ms": max(first_ms, change.at_ms),
                "end_ms": last_ms if following is None else following.at_ms,
                "ahead_ms": ahead_ms,
                "step_ms": step_ms,
            }
            for at_ms, *lasts_ms in self._connection.execute(sql, asked):
                local_ms = at_ms + ahead_ms
                yield local_ms // HOUR_MS
                # A sample counts in every hour it lasts, if that is a matter of hours at all.
                if lasts_ms and lasts_ms[0] < DAY_MS:
                    yield from range(
                        local_ms // HOUR_MS + 1, (local_ms + lasts_ms[0]) // HOUR_MS + 1
                    )


def _around(dates: range) -> Stretch:
    """All instants that may lie on these dates, and whatever may last into them."""
    return Stretch(dates.start * DAY_MS - FAR_MS - DAY_MS, dates.stop * DAY_MS + FAR_MS)


def _days(metric: str, gap: Days) -> dict[str, object]:
    return {
        "metric": metric,
        "kind": "days",
        "from": day_text(gap.first),
        "to": day_text(gap.last + 1),
        "missing": gap.last - gap.first + 1,
        "export": {"first": day_text(gap.first), "last": day_text(gap.last)},
    }


def _hours(metric: str, gap: Hours) -> dict[str, object]:
    day = day_text(gap.day)
    end = day_text(gap.day + 1) + "T00:00" if gap.end == 24 else f"{day}T{gap.end:02}:00"
    return {
        "metric": metric,
        "kind": "hours",
        "from": f"{day}T{gap.first:02}:00",
        "to": end,
        "missing": gap.end - gap.first,
        "export": {"first": day, "last": day},
    }
