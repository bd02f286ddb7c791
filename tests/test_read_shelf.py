"""What the mart is asked for a series: little, and nothing that has to be scanned for."""

from __future__ import annotations

import random
import re
import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from healthlog.layer import DATED, DAY, HOUR, MINUTE, SAMPLE
from healthlog.mart.offsets import Offsets
from healthlog.moment import DAY_MS, HOUR_MS, day_text
from healthlog.read import days as read_days
from healthlog.read import series as read_series
from healthlog.read.latest import latest
from healthlog.read.series import Question, series_of
from healthlog.read.shelf import MartShelf, figures_of
from healthlog.series.buckets import Change, Stretch
from healthlog.series.catalogue import entry
from healthlog.series.line import Figure
from healthlog.series.measure import Measure
from healthlog.series.series import LAYERS_OF, Series
from healthlog.series.source_order import SourceOrder
from healthlog.span import Span, edge
from tests.support.accepting import asked
from tests.support.clock import FakeClock
from tests.support.lines import PlainShelf, at, day_of, value
from tests.support.reading import (
    DAYS,
    HOURS,
    MINUTES,
    SECONDS,
    Desk,
    body,
    metric,
    open_desk,
    steps,
)

STEPS = "step_count"
SCANS = re.compile(r"SCAN (point|folded|field|record|spoke)\b")


@pytest.fixture
def desk(data: Path, clock: FakeClock) -> Iterator[Desk]:
    with open_desk(data, clock) as desk:
        yield desk


def with_shelf(desk: Desk, name: str, work: Callable[[MartShelf], Any]) -> Any:
    def call(connection: sqlite3.Connection) -> Any:
        numbers = {one.layer: one.number for one in series_of(connection, name)}
        return work(MartShelf(connection, entry(name, None), numbers, Offsets(connection)))

    return desk.mart.read(call)


def everything(desk: Desk) -> None:
    """A series in all layers."""
    desk.send(steps(("2026-06-01 00:00:00 +0200", 1)), DAYS)
    desk.send(steps(("2026-06-02 00:00:00 +0200", 1)), HOURS)
    desk.send(steps(("2026-06-03 00:00:00 +0200", 1)), MINUTES)
    desk.send(steps(("2026-06-04 00:00:07 +0200", 1)), SECONDS)
    desk.send(steps(("2026-06-01 00:00:00 -0400", 1)), DAYS)
    for aggregation in ("Weeks", "Months", "Years"):
        desk.send(steps(("2026-06-01 00:00:00 +0200", 1)), aggregation)


def question(bucket: str) -> Question:
    return Question(STEPS, bucket)


@pytest.mark.parametrize("bucket", ["minute", "hour", "day", "week", "month", "year"])
def test_no_table_of_readings_is_scanned(desk: Desk, bucket: str) -> None:
    everything(desk)
    plans = desk.plans(lambda c: read_series.page(c, question(bucket), limit=10))
    assert [plan for plan in plans if SCANS.search(plan)] == []
    assert any(
        "SEARCH point USING PRIMARY KEY (series=? AND at_ms>? AND at_ms<?)" in p for p in plans
    )


def test_a_day_and_the_latest_values_scan_nothing_either(desk: Desk) -> None:
    everything(desk)
    for call in (
        lambda c: read_days.day(c, day_of("06-02"), SourceOrder()),
        lambda c: latest(c, 0),
    ):
        assert [plan for plan in desk.plans(call) if SCANS.search(plan)] == []


@pytest.mark.scenario("series", "Year by day is one look at its day rows")
def test_a_year_by_day_is_one_look_at_its_day_rows(desk: Desk) -> None:
    first = day_of("2025-08-01")
    days = [(f"{day_text(first + n)} 00:00:00 +0200", 1000.0 + n) for n in range(365)]
    desk.send(steps(*days), DAYS)
    desk.send(steps(("2026-08-01 12:00:00 +0200", 5)), MINUTES)
    wanted = Question(STEPS, "day", Span(edge("2025-08-01", UTC), edge("2026-08-01", UTC)))
    statements = desk.mart.read(
        lambda c: asked(c, lambda c: read_series.page(c, wanted, limit=1_000))
    )
    of_readings = [text for text, _ in statements if "ORDER BY at_ms, sub, origin, n" in text]
    assert len(of_readings) == 1
    # One question a day where it began by the clock; the rest is a handful.
    assert len(statements) < 365 + 40


def test_no_more_of_a_long_series_is_read_than_the_page_holds(desk: Desk) -> None:
    first = at("06-01 00:00")
    texts = [
        f"2026-06-{1 + n // 1440:02} {n // 60 % 24:02}:{n % 60:02}:00 +0200" for n in range(8_640)
    ]
    desk.send(steps(*((text, 1) for text in texts)), MINUTES)
    wanted = question("hour")
    statements = desk.mart.read(lambda c: asked(c, lambda c: read_series.page(c, wanted, limit=5)))
    ends = [values[2] for text, values in statements if "ORDER BY at_ms, sub, origin, n" in text]
    assert max(ends) <= first + 26 * HOUR_MS  # type: ignore[type-var,operator]


# ---- rows as readings


def test_rows_of_days_carry_their_date_offset_and_place(desk: Desk) -> None:
    desk.send(steps(*((f"2026-06-01 0{h}:00:00 +0200", 1) for h in range(4))), HOURS)
    desk.send(steps(("2026-06-01 00:00:00 +0200", 5), ("2026-06-02 00:00:00 -0400", 6)), DAYS)
    rows = with_shelf(desk, STEPS, lambda shelf: shelf.dated(DAY, day_of("06-01"), day_of("06-03")))
    assert [(row.at_ms, row.date, row.offset_min, row.elsewhere) for row in rows] == [
        (at("06-01 00:00"), day_of("06-01"), 120, False),
        (at("06-02 00:00", -4), day_of("06-02"), -240, True),
    ]


def test_starts_that_do_not_answer_for_their_date_are_left_out(desk: Desk) -> None:
    desk.send(steps(("2026-06-01 00:00:00 +0200", 5)), DAYS)
    desk.send(steps(("2026-06-01 00:00:00 -0400", 6)), DAYS)
    rows = with_shelf(desk, STEPS, lambda shelf: shelf.dated(DAY, day_of("06-01"), day_of("06-02")))
    assert [row.figures for row in rows] == [(Figure(5.0),)]


def test_the_first_and_last_rows_of_a_date_are_found_wherever_it_begins(desk: Desk) -> None:
    line = ("2026-06-02 00:00:00 +1400", "2026-06-02 00:00:00 -1000", "2026-06-01 23:00:00 +1400")
    for date in line:
        desk.send(body(metric("apple_stand_hour", "count", {"date": date, "qty": 1})), DAYS)

    def counts(shelf: MartShelf) -> list[int]:
        dates = [day_of("06-01"), day_of("06-02")]
        return [len(shelf.dated(DAY, date, date + 1)) for date in dates]

    assert with_shelf(desk, "apple_stand_hour", counts) == [1, 1]


def test_readings_of_one_instant_come_by_their_sources(desk: Desk) -> None:
    twins = [{"date": "2026-06-01 12:00:07 +0200", "qty": 1, "source": s} for s in ("b", "a", "c")]
    desk.send(body(metric(STEPS, "count", *twins)), SECONDS)
    stretch = Stretch(at("06-01 12:00"), at("06-01 13:00"))
    rows = with_shelf(desk, STEPS, lambda shelf: shelf.timed("raw", stretch))
    assert [row.sources for row in rows] == [("a",), ("b",), ("c",)]


def test_the_clock_of_a_stretch_is_where_it_changes(desk: Desk) -> None:
    named = [(f"2026-06-01 {hour:02}:00:00 +0200", 1) for hour in range(12)]
    desk.send(steps(*named, ("2026-06-01 10:00:00 -0400", 1)), HOURS)
    stretch = Stretch(at("06-01 06:00"), at("06-01 18:00"))
    changes = with_shelf(desk, STEPS, lambda shelf: shelf.zones(stretch).changes)
    offsets = [change.offset_min for change in changes]
    assert (offsets[0], offsets[-1]) == (120, -240)
    assert changes[-1] == Change(at("06-01 10:00", -4), -240)


def test_before_all_that_was_named_the_clock_is_the_next(desk: Desk) -> None:
    desk.send(steps(("2026-06-02 12:00:00 +0900", 1)), HOURS)
    stretches = [
        Stretch(at(f"{month}-01 00:00"), at(f"{month}-03 00:00")) for month in ("05", "06")
    ]

    def offsets(shelf: MartShelf) -> list[int]:
        return [shelf.zones(one).offset_min(one.first_ms) for one in stretches]

    assert with_shelf(desk, STEPS, offsets) == [540, 540]


def test_the_latest_word_on_a_metric_is_that_on_its_latest_reading(
    desk: Desk, clock: FakeClock
) -> None:
    desk.send(steps(("2026-06-01 00:00:00 +0200", 1), ("2026-06-02 00:00:00 +0200", 1)), DAYS)
    clock.advance(3_600)
    latest_word = desk.send(steps(("2026-06-02 00:00:00 +0200", 2)), DAYS)
    clock.advance(3_600)
    desk.send(steps(("2026-06-01 00:00:00 +0200", 3)), DAYS)
    heard = with_shelf(desk, STEPS, lambda shelf: shelf.heard_at_us)
    assert heard == latest_word.clock_at_us


@pytest.mark.parametrize(
    ("name", "columns", "figures"),
    [
        (STEPS, (5, None, 7, None), (Figure(5),)),
        (STEPS, (None, None, 7, None), (Figure(7),)),
        ("heart_rate", (5, None, None, None), (Figure(5, 5, 5),)),
        ("heart_rate", (5, 4, 7, 9), (Figure(7, 4, 9),)),
        ("heart_rate", (None, 4, None, 9), (Figure(None, 4, 9),)),
        ("weight_body_mass", (5, None, 7, None), (Figure(5),)),
    ],
)
def test_numbers_of_a_row_are_taken_as_the_metric_counts(
    name: str, columns: tuple[float | None, ...], figures: tuple[Figure, ...]
) -> None:
    row = (0, 0, 0, *columns, 1, 1, None, None, None)
    assert figures_of(entry(name, None))(row) == figures


@pytest.mark.parametrize(
    ("name", "detail", "values"),
    [
        ("blood_pressure", '{"extra":{"systolic":121,"diastolic":79}}', [121, 79]),
        ("blood_pressure", '{"extra":{"systolic":"high"}}', [None, None]),
        ("blood_pressure", None, [None, None]),
        ("sexual_activity", '{"extra":{"Unspecified":1,"Protection Used":2}}', [3]),
        ("sexual_activity", '{"extra":{"note":"x"}}', [4]),
    ],
)
def test_numbers_in_fields_of_their_own_are_found(
    name: str, detail: str | None, values: list[float | None]
) -> None:
    row = (0, 0, 0, 4, None, None, None, 1, 1, None, None, detail)
    assert [figure.value for figure in figures_of(entry(name, None))(row)] == values


def test_next_readings_are_found_layer_by_layer(desk: Desk) -> None:
    everything(desk)
    fine = frozenset((MINUTE, HOUR))

    def work(shelf: MartShelf) -> tuple[Any, ...]:
        return (
            shelf.next_ms(fine, at("06-02 12:00")),
            shelf.next_ms(fine, at("06-04 12:00")),
            shelf.next_date(frozenset((DAY,)), day_of("01-01")),
            shelf.next_date(fine, day_of("06-09")),
        )

    first, none, date, never = with_shelf(desk, STEPS, work)
    assert (first, none, never) == (at("06-03 00:00"), None, None)
    assert day_of("05-30") <= date <= day_of("06-01")
    assert SAMPLE not in with_shelf(desk, STEPS, lambda shelf: shelf.layers)


# ---- by definition


def of_chance(desk: Desk, clock: FakeClock, seed: int) -> None:
    """Some twenty deliveries in all layers and several offsets, some of which speak of running
    buckets, most of them repeating each other."""
    chance = random.Random(seed)
    offsets = [chance.choice((120, 60, -240, 330, 840)) for _ in range(2)]
    for _ in range(20):
        clock.set(at("06-10 00:00") * 1000 + chance.randrange(10 * 86_400) * 1_000_000)
        aggregation, step_s = chance.choice(
            ((DAYS, 86_400), (HOURS, 3_600), (MINUTES, 60), (SECONDS, 41), ("Months", 86_400 * 30))
        )
        offset_min = chance.choice(offsets)
        texts = {
            _text(at("06-05 00:00", 0) // 1000 + n * step_s - offset_min * 60, offset_min)
            for n in range(chance.randint(1, 300))
            if chance.random() < 0.4
        }
        source = chance.choice(("Watch", "iPhone", "Watch|iPhone", ""))
        data = [
            {"date": one, "qty": chance.randint(0, 9), "source": source} for one in sorted(texts)
        ]
        if data:
            desk.send(body(metric(STEPS, "count", *data)), aggregation)


def _text(second: int, offset_min: int) -> str:
    local = datetime.fromtimestamp(second, timezone(timedelta(minutes=offset_min)))
    return f"{local:%Y-%m-%d %H:%M:%S %z}"


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("bucket", ["minute", "hour", "day", "week", "month", "year"])
def test_what_is_read_piece_by_piece_is_what_all_together_tells(
    desk: Desk, clock: FakeClock, seed: int, bucket: str
) -> None:
    of_chance(desk, clock, seed)
    days = (0, day_of("2060-01-01"))
    ever = Stretch(0, days[1] * DAY_MS)

    def whole(shelf: MartShelf) -> list[tuple[int, float | None, frozenset[str], bool]]:
        rows = {
            layer: shelf.dated(layer, *days) if layer in DATED else shelf.timed(layer, ever)
            for layer in shelf.layers & LAYERS_OF[bucket]
        }
        plain = PlainShelf(rows, shelf.zones(ever), shelf.heard_at_us)
        told = Series(plain, Measure(entry(STEPS, None), "count"), SourceOrder())
        found = told.dates(bucket, *days) if bucket in DATED else told.instants(bucket, ever)
        return [(one.start, value(one), one.layers, one.open) for one in found]

    def page(connection: sqlite3.Connection) -> list[dict[str, object]]:
        return read_series.page(connection, question(bucket), limit=10_000).items

    expected = [row[1:] for row in with_shelf(desk, STEPS, whole)]
    items = desk.mart.read(page)
    assert expected == [
        (item["value"], frozenset(str(item["layer"]).split("+")), item["open"]) for item in items
    ]
