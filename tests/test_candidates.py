"""What one delivery says at each coordinate."""

from __future__ import annotations

import pytest

from healthlog.candidates import DATE_ALONE, NO_ORIGIN, Candidates, candidates, translated
from healthlog.moment import DAY_MS, HOUR_MS, MINUTE_MS, parse
from healthlog.reading import Block, Metric, Reading, Sources, columns

DATE = "2026-05-03"
DAY = parse(DATE).day


def reading(
    text: str, qty: float = 1.0, sources: Sources = (), end_ms: int | None = None, extra: str = ""
) -> Reading:
    """A reading at a time of 2026-05-03, or at a date and time."""
    date = text if text[4:5] == "-" else f"{DATE} {text}"
    return Reading(parse(date), qty, None, None, None, sources, end_ms, extra)


def block(*readings: Reading, ordinal: int = 0, unit: str | None = "count") -> Block:
    return Block(ordinal, "sent", unit, range(len(readings)), columns(readings))


def said(layer: str, *blocks: Block, name: str = "step_count") -> Candidates:
    return candidates(Metric(name, list(blocks)), layer)


def at(text: str) -> int:
    at_ms = parse(f"{DATE} {text}").at_ms
    assert at_ms is not None
    return at_ms


MORNING, NOON = at("07:00:00 +0200"), at("12:00:00 +0200")


@pytest.mark.parametrize("layer", ["minute", "hour"])
def test_minutes_and_hours_stand_at_their_instant_alone(layer: str) -> None:
    lines = said(layer, block(reading("07:00:00 +0200", sources=("Watch",)))).lines
    assert (lines.at_ms, lines.sub, lines.origin) == ([MORNING], [0], [NO_ORIGIN])
    assert lines.tag == [("count", ("Watch",))]
    assert lines.offset_min == [None]


def test_raw_stands_at_instant_and_sources() -> None:
    watch, phone = ("Watch",), ("iPhone",)
    lines = said(
        "raw",
        block(reading("07:00:00 +0200", sources=watch), reading("07:00:00 +0200", sources=phone)),
    ).lines
    assert lines.at_ms == [MORNING, MORNING]
    assert lines.origin == [(watch, None), (phone, None)]
    assert lines.n == [0, 0]


def test_a_sample_stands_at_start_end_and_sources() -> None:
    lines = said(
        "sample",
        block(
            reading("07:00:00 +0200", end_ms=MORNING + 5),
            reading("07:00:00 +0200", end_ms=MORNING),
            reading("07:00:00 +0200", end_ms=MORNING + 5, qty=2.0),
        ),
    ).lines
    found = sorted(zip(lines.at_ms, lines.sub, lines.n, lines.qty, strict=True))
    assert found == [(MORNING, 0, 0, 1.0), (MORNING, 5, 0, 1.0), (MORNING, 5, 1, 2.0)]
    assert lines.origin == [((), None)] * 3
    assert lines.detail == [None] * 3


def test_a_sample_may_end_at_the_epoch() -> None:
    lines = said("sample", block(reading("1969-12-31T23:00:00Z", end_ms=0))).lines
    assert lines.sub == [HOUR_MS]


def test_a_sample_without_an_end_ends_as_it_starts() -> None:
    both = block(reading("07:00:00 +0200"), reading("07:00:00 +0200", end_ms=MORNING))
    found = said("sample", both)
    assert (found.lines.n, found.doubles) == ([0, 1], 0)
    apart = said(
        "sample", block(both.readings.reading(0)), block(both.readings.reading(1), ordinal=1)
    )
    assert (apart.lines.n, apart.doubles) == ([0], 1)


@pytest.mark.parametrize(
    ("layer", "origins"),
    [
        ("raw", [((), "Basal"), ((), "Bolus"), ((), None)]),
        ("minute", [(None, "Basal"), (None, "Bolus"), NO_ORIGIN]),
        ("hour", [(None, "Basal"), (None, "Bolus"), NO_ORIGIN]),
        ("day", [NO_ORIGIN]),
    ],
)
def test_a_dose_stands_apart_by_its_reason(layer: str, origins: list[object]) -> None:
    doses = block(
        reading("00:00:00 +0200", extra='{"reason":"Basal"}'),
        reading("00:00:00 +0200", extra='{"reason":" Bolus "}'),
        reading("00:00:00 +0200", extra='{"reason":5}'),
    )
    found = said(layer, doses, name="insulin_delivery").lines
    assert list(dict.fromkeys(found.origin)) == origins
    assert set(said(layer, doses, name="blood_glucose").lines.origin) <= {NO_ORIGIN, ((), None)}


@pytest.mark.parametrize(
    ("name", "text", "date"),
    [
        ("step_count", "2026-05-03 00:00:00 +0200", "2026-05-03"),
        ("step_count", "2026-10-24 23:00:00 +0100", "2026-10-25"),
        ("step_count", "2026-03-29 01:00:00 +0200", "2026-03-29"),
        ("vo2_max", "2026-10-24 23:00:00 +0100", "2026-10-24"),
        ("vo2_max", "2026-03-29 01:00:00 +0200", "2026-03-29"),
    ],
)
def test_a_day_stands_at_its_start_and_local_date(name: str, text: str, date: str) -> None:
    lines = said("day", block(reading(text)), name=name).lines
    moment = parse(text)
    assert (lines.at_ms, lines.sub) == ([moment.at_ms], [parse(date).day])
    assert (lines.origin, lines.offset_min) == ([NO_ORIGIN], [moment.offset_min])


def test_a_date_alone_stands_beside_a_day_with_a_time() -> None:
    lines = said("day", block(reading(DATE), reading("00:00:00 +0000"))).lines
    assert lines.at_ms == [DAY * DAY_MS] * 2
    assert lines.sub == [DAY] * 2
    assert lines.origin == [DATE_ALONE, NO_ORIGIN]
    assert lines.offset_min == [None, 0]


@pytest.mark.parametrize("layer", ["week", "month", "year"])
def test_longer_buckets_stand_at_their_local_date(layer: str) -> None:
    lines = said(layer, block(reading("00:00:00 +0200"), reading("00:00:00 -0400"))).lines
    assert lines.at_ms == [DAY * DAY_MS] * 2
    assert (lines.sub, lines.n, lines.origin) == ([DAY] * 2, [0, 1], [NO_ORIGIN] * 2)
    starts = [at("00:00:00 +0200"), at("00:00:00 -0400")]
    assert sorted(lines.detail, key=str) == [f'{{"start":{start}}}' for start in starts]


def test_detail_holds_what_few_readings_have() -> None:
    lines = said(
        "minute",
        block(
            reading("07:00:00 +0200"),
            reading("07:01:00 +0200", extra='{"a":1}'),
            reading("07:02:00 +0200", end_ms=5, extra='{"a":1}'),
        ),
    ).lines
    assert lines.detail == [None, '{"extra":{"a":1}}', '{"end":5,"extra":{"a":1}}']


@pytest.mark.parametrize(
    ("layer", "text", "over_ms"),
    [
        ("hour", "07:00:00 +0200", MORNING + HOUR_MS),
        ("day", "00:00:00 +0200", (DAY + 1) * DAY_MS - 120 * MINUTE_MS),
        ("day", "00:00:00 -0400", (DAY + 1) * DAY_MS + 240 * MINUTE_MS),
        ("day", "2026-05-02 23:00:00 +0200", (DAY + 1) * DAY_MS - 120 * MINUTE_MS),
        ("day", DATE, (DAY + 1) * DAY_MS + 12 * HOUR_MS),
        ("minute", "07:00:00 +0200", None),
        ("raw", "07:00:00 +0200", None),
        ("week", "00:00:00 +0200", None),
    ],
)
def test_an_hour_and_a_day_know_when_they_are_over(
    layer: str, text: str, over_ms: int | None
) -> None:
    assert said(layer, block(reading(text))).lines.over_ms == [over_ms]


def test_a_day_of_an_evening_metric_is_over_at_its_own_midnight() -> None:
    evening = block(reading("22:30:00 +0200"))
    lines = said("day", evening, name="apple_sleeping_wrist_temperature").lines
    assert lines.over_ms == [(DAY + 1) * DAY_MS - 120 * MINUTE_MS]


def test_a_day_of_several_readings_is_over_with_the_last_of_them() -> None:
    lines = said(
        "day", block(reading("00:00:00 +0200"), reading("2026-05-02 23:00:00 +0100", qty=2.0))
    ).lines
    assert lines.over_ms == [(DAY + 1) * DAY_MS - 60 * MINUTE_MS] * 2


def test_lines_come_by_instant_whatever_the_order_of_the_body() -> None:
    mixed = block(reading("12:00:00 +0200", 2.0), reading("07:00:00 +0200", 1.0))
    lines = said("minute", mixed, block(reading("08:00:00 +0200", 3.0), ordinal=2)).lines
    assert lines.at_ms == [MORNING, MORNING + HOUR_MS, NOON]
    assert lines.qty == [1.0, 3.0, 2.0]


def test_readings_of_a_coordinate_stand_in_canonical_order() -> None:
    readings = [reading("07:00:00 +0200", qty) for qty in (10.0, 9.0, 1.5)]
    for order in (readings, readings[::-1]):
        lines = said("minute", block(reading("12:00:00 +0200"), *order)).lines
        assert lines.qty == [1.5, 10.0, 9.0, 1.0]  # by text
        assert lines.n == [0, 1, 2, 0]


def times(*qtys: float, offset: str = "+0200") -> list[Reading]:
    """Readings of 05:00 UTC."""
    clock = {"+0200": "07", "+0100": "06", "Z": "05"}[offset]
    return [reading(f"{clock}:00:00 {offset}", qty) for qty in qtys]


@pytest.mark.parametrize(
    ("blocks", "kept", "doubles"),
    [
        # Told twice in one breath, a reading was there twice.
        ([times(1.0, 1.0)], [1.0, 1.0], 0),
        # Told again in another block, it is the same.
        ([times(1.0), times(1.0)], [1.0], 1),
        ([times(1.0, 1.0), times(1.0)], [1.0, 1.0], 1),
        ([times(1.0), times(1.0, 1.0, 1.0)], [1.0, 1.0, 1.0], 1),
        ([times(1.0, 2.0), times(2.0, 3.0)], [1.0, 2.0, 3.0], 1),
        # Or in another offset, in the same block or another.
        ([[*times(1.0), *times(1.0, offset="+0100")]], [1.0], 1),
        ([[*times(1.0), *times(1.0, offset="Z")]], [1.0], 1),
        ([[*times(1.0, 1.0), *times(1.0, offset="+0100")]], [1.0, 1.0], 1),
        ([times(1.0), times(1.0, offset="Z"), times(1.0, 1.0, offset="+0100")], [1.0, 1.0], 2),
    ],
)
@pytest.mark.parametrize("layer", ["raw", "minute", "hour"])
def test_a_reading_told_twice_is_one(
    layer: str, blocks: list[list[Reading]], kept: list[float], doubles: int
) -> None:
    found = said(layer, *(block(*readings, ordinal=n) for n, readings in enumerate(blocks)))
    assert (found.lines.qty, found.doubles) == (kept, doubles)
    assert found.lines.n == list(range(len(kept)))


def test_in_two_units_a_reading_is_two() -> None:
    pair = (block(*times(1.0), unit="kcal"), block(*times(1.0), unit="kJ", ordinal=1))
    found = said("minute", *pair)
    assert (found.lines.n, found.doubles) == ([0, 1], 0)
    assert [unit for unit, _ in found.lines.tag] == ["kJ", "kcal"]


def test_of_two_spellings_the_first_in_the_body_gives_the_offset() -> None:
    here = reading("2026-10-25 00:00:00 +0200")
    there = reading("2026-10-24 23:00:00 +0100")
    assert said("day", block(here, there)).lines.offset_min == [120]
    assert said("day", block(there, here)).lines.offset_min == [60]


def test_an_empty_block_says_nothing() -> None:
    found = said("minute", block(), block(*times(1.0), ordinal=1))
    assert (found.lines.qty, found.doubles) == ([1.0], 0)


def test_each_word_of_a_column_is_translated_once() -> None:
    asked: list[str] = []

    def to(word: str) -> str:
        asked.append(word)
        return word.upper()

    assert translated(["a", "b", "a"], to) == ["A", "B", "A"]
    assert translated(["c"] * 3, to) == ["C"] * 3
    assert translated([], to) == []
    assert asked == ["a", "b", "c"]
