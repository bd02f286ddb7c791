"""How things stand: what today adds up to so far, the latest value of everything else."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from datetime import tzinfo

from healthlog import days
from healthlog.base.clock import text_us
from healthlog.days import Told, night_view
from healthlog.layer import DAY
from healthlog.mart.offsets import Offsets
from healthlog.moment import DAY_MS, MINUTE_MS, day_text, instant_text
from healthlog.read.days import slept
from healthlog.read.latest import latest
from healthlog.read.points import names
from healthlog.read.series import Question, entry_of, of_date, series_of
from healthlog.read.shelf import MartShelf
from healthlog.series.catalogue import SUM
from healthlog.series.source_order import SourceOrder
from healthlog.span import zone_offset_min


def now(
    connection: sqlite3.Connection, now_us: int, order: SourceOrder, zone: tzinfo
) -> dict[str, object]:
    """The object of an instant: `day`, the date by the phone's clock; `totals` of that day by
    metric, each with `heard_at` and `age_s` of the metric's last word; `night`, the longest that
    ended on it, None without any; `latest` by metric. What nobody has measured today has no total.
    """
    offsets = Offsets(connection)
    date = today(offsets, now_us, zone)
    return {
        "at": instant_text(now_us // 1_000_000 * 1_000, offset_min(offsets, now_us, zone)),
        "day": day_text(date),
        "totals": totals(connection, offsets, date, now_us, order),
        "night": _night(connection, offsets, date, order),
        "latest": {
            str(one["metric"]): {name: one[name] for name in one if name != "metric"}
            for one in latest(connection, now_us)
        },
    }


def today(offsets: Offsets, now_us: int, zone: tzinfo) -> int:
    """The date (days since 1970) by the phone's clock, in `zone` where nothing has named that."""
    return (now_us // 1_000 + offset_min(offsets, now_us, zone) * MINUTE_MS) // DAY_MS


def offset_min(offsets: Offsets, now_us: int, zone: tzinfo) -> int:
    """Offset from UTC of the phone's clock, of `zone` where nothing has named that."""
    named = offsets.named
    return offsets.offset_min(now_us // 1_000) if named else zone_offset_min(now_us, zone)


def totals(
    connection: sqlite3.Connection, offsets: Offsets, date: int, now_us: int, order: SourceOrder
) -> dict[str, dict[str, object]]:
    """What the amounts of a date (days since 1970) add up to, by metric."""
    told, heard = [], {}
    for metric in names(connection):
        kept = series_of(connection, metric)
        known = entry_of(connection, metric, kept)
        if known.aggregate != SUM:
            continue
        of_metric = Told(*of_date(connection, Question(metric, DAY, order=order), date))
        if of_metric.items:
            told.append(of_metric)
            numbers = {one.layer: one.number for one in kept}
            heard[metric] = MartShelf(connection, known, numbers, offsets).heard_at_us
    return {
        metric: {**total, **_heard(heard[metric], now_us)}
        for metric, total in days.by_metric(told).items()
    }


def _heard(heard_at_us: int, now_us: int) -> Mapping[str, object]:
    return {
        "heard_at": text_us(heard_at_us),
        "age_s": max(0, now_us - heard_at_us) // 1_000_000,
    }


def _night(
    connection: sqlite3.Connection, offsets: Offsets, date: int, order: SourceOrder
) -> dict[str, object] | None:
    night, _ = days.sleep_of(date, slept(connection, date, date + 1, order))
    return None if night is None else night_view(night, offsets)
