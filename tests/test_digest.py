"""One checksum over everything the mart says."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from healthlog.mart.digest import digest
from tests.support.folding import (
    DAYS,
    DEFAULT,
    HOURS,
    MINUTES,
    Bench,
    body,
    delivery,
    metric,
    open_bench,
    point,
)

MORNING = "2026-05-03 07:00:00 +0200"


def of(*bodies: bytes, aggregation: str = DEFAULT, **fields: Any) -> str:
    with open_bench() as made:
        for content in bodies:
            made.fold(content, aggregation, **fields)
        return made.digest()


def rate(qty: float = 61, date: str = MORNING, unit: str | None = "bpm", **more: object) -> bytes:
    return body(metric("heart_rate", point(date, qty, **more), units=unit))


def test_an_empty_mart_has_a_digest(bench: Bench) -> None:
    found = bench.mart.read(digest)
    assert (found.points, found.records) == (0, 0)
    assert found.sha256 == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_it_counts_readings(bench: Bench) -> None:
    bench.fold(body(metric("heart_rate", point(MORNING, 61), point(MORNING, 62))), DEFAULT)
    bench.fold(rate(), MINUTES)
    found = bench.mart.read(digest)
    assert (found.points, found.records, len(found.sha256)) == (3, 0, 64)


@pytest.mark.parametrize(
    "other",
    [
        rate(61.5),
        rate(date="2026-05-03 07:00:01 +0200"),
        rate(date="2026-05-03 08:00:00 +0300"),
        rate(unit=None),
        rate(source="Watch"),
        rate(note="x"),
        rate(end=MORNING),
        rate(Max=61),
        body(metric("hearts", point(MORNING, 61), units="bpm")),
    ],
    ids=range(9),
)
def test_everything_said_shows_in_it(other: bytes) -> None:
    assert of(rate()) != of(other)


def test_the_layer_and_who_said_it_show_in_it() -> None:
    assert of(rate(), aggregation=HOURS) != of(rate(), aggregation=MINUTES)
    assert of(rate()) != of(rate(), rate())


def test_a_date_alone_shows_in_it() -> None:
    at_utc = of(rate(date="2026-05-03T00:00:00+00:00"), aggregation=DAYS)
    assert of(rate(date="2026-05-03"), aggregation=DAYS) != at_utc
    assert of(rate(date="2026-05-03T00:00:00Z"), aggregation=DAYS) == at_utc


@pytest.mark.parametrize("aggregation", ["Weeks", "Months", "Years"])
def test_the_offset_of_longer_buckets_shows_in_it(aggregation: str) -> None:
    dates = ("2026-01-01 00:00:00 +0100", "2026-01-01 00:00:00 +0000", "2026-01-01")
    found = {of(rate(date=date), aggregation=aggregation) for date in dates}
    assert len(found) == 3
    assert of(rate(date="2026-01-01T00:00:00Z"), aggregation=aggregation) in found


def test_the_clock_shows_in_it() -> None:
    zulu = rate(date="2026-05-03T05:00:00Z")
    named = body(metric("x", point(MORNING)))
    elsewhere = body(metric("x", point("2026-05-03 01:00:00 -0400")))
    assert of(zulu, named) != of(zulu, elsewhere)


def test_numbers_of_rows_do_not_show_in_it(bench: Bench) -> None:
    said = [rate(source=name, unit=name) for name in ("Watch", "iPhone", "Scale")]
    said += [body(metric("insulin_delivery", point(MORNING, reason=r))) for r in ("Bolus", "Basal")]
    one_way = [(delivery(n, content, DEFAULT), content) for n, content in enumerate(said)]
    for one, content in one_way:
        bench.play(one, content)
    with open_bench() as other:
        for one, content in reversed(one_way):
            other.play(one, content)
        assert _numbers(bench) != _numbers(other)
        assert bench.digest() == other.digest()


def _numbers(bench: Bench) -> list[Any]:
    def work(connection: sqlite3.Connection) -> list[Any]:
        return connection.execute("SELECT series, origin, tag, said_by FROM point").fetchall()

    return bench.mart.read(work)


def test_what_was_said_in_between_does_not_show_in_it(bench: Bench) -> None:
    for number, qty in ((1, 60), (2, 61)):
        content = rate(qty)
        bench.play(delivery(number, content, MINUTES), content)
    with open_bench() as other:
        content = rate(61)
        other.clock.advance(3_600)
        other.play(delivery(2, content, MINUTES), content)
        assert other.digest() == bench.digest()


WALK = {"id": "A", "start": MORNING, "end": "2026-05-03 07:30:00 +0200", "distance": {"qty": 2}}
NIGHT = {"sleepStart": "2026-05-02 23:00:00 +0200", "sleepEnd": MORNING}


def walks(*elements: object) -> bytes:
    return body(workouts=list(elements))


def test_it_counts_records(bench: Bench) -> None:
    bench.fold(walks(WALK, {"id": "B"}), DEFAULT)
    found = bench.mart.read(digest)
    assert (found.points, found.records, len(found.sha256)) == (0, 2, 64)


@pytest.mark.parametrize(
    "other",
    [
        walks({**WALK, "id": "B"}),
        walks({**WALK, "distance": {"qty": 2.5}}),
        walks({**WALK, "more": 0}),
        walks({**WALK, "end": "2026-05-03 07:31:00 +0200"}),
        walks({**WALK, "start": "2026-05-03 08:00:00 +0300", "end": "2026-05-03 08:30:00 +0300"}),
        body(symptoms=[{**WALK, "name": "X"}]),
    ],
    ids=range(6),
)
def test_everything_said_of_a_record_shows_in_it(other: bytes) -> None:
    assert of(walks(WALK)) != of(other)


def test_the_clock_shows_in_a_record() -> None:
    zulu = walks({**WALK, "start": "2026-05-02T22:30:00Z", "end": None})
    before = body(metric("x", point("2026-05-03 00:00:00 +0200")))
    elsewhere = body(metric("x", point("2026-05-02 18:00:00 -0400")))
    assert of(before, zulu) != of(elsewhere, zulu)


def test_whose_word_a_field_is_does_not_show_in_it() -> None:
    assert of(walks(WALK)) == of(walks(WALK), walks(WALK))


def test_what_a_record_was_before_does_not_show_in_it() -> None:
    assert of(walks({**WALK, "distance": {"qty": 1}}), walks(WALK)) == of(walks(WALK))


def test_a_night_shows_what_was_derived_from_it() -> None:
    def night(**hours: float) -> bytes:
        return body(metric("sleep_analysis", {**NIGHT, **hours}, units="hr"))

    assert of(night(asleep=7)) != of(night(totalSleep=7))
