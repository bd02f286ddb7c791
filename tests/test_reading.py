"""What a body says of a metric, before anything is decided about it."""

from __future__ import annotations

import pytest

from healthlog.moment import DAY_MS, parse
from healthlog.reading import NONE, Block, Metric, Reading, columns, joined, reading_text


def reading(date: str = "2026-05-03 07:00:00 +0200", qty: float | None = 5.0) -> Reading:
    return Reading(parse(date), qty, None, None, None, (), None, "")


def test_text_has_sorted_keys_and_nothing_absent() -> None:
    whole = Reading(
        parse("2026-05-03 07:00:00 +0200"),
        5.0, 4.5, 5.25, -0.0, ("Watch", "iPhone"), 1777784460000, '{"note":"\u00e4"}',
    )  # fmt: skip
    assert reading_text(whole, "count") == (
        '{"avg":5.25,"end":"2026-05-03T05:01:00Z","extra":{"note":"\u00e4"},'
        '"instant":"2026-05-03T05:00:00Z","max":0,"min":4.5,"qty":5,'
        '"sources":["Watch","iPhone"],"unit":"count"}'
    )
    assert reading_text(reading(), None) == '{"instant":"2026-05-03T05:00:00Z","qty":5}'


def test_text_of_a_date_alone_has_no_instant() -> None:
    assert reading_text(reading("2026-05-03"), None) == '{"qty":5}'


def test_the_offset_makes_no_other_text() -> None:
    here, there = reading(), reading("2026-05-03T05:00:00Z")
    assert reading_text(here, None) == reading_text(there, None)


@pytest.mark.parametrize(
    "other",
    [
        reading("2026-05-03 07:00:00.001 +0200"),
        reading(qty=5.000000000000001),
        reading(qty=None),
        reading()._replace(min=5.0),
        reading()._replace(sources=("Watch",)),
        reading()._replace(end_ms=0),
        reading()._replace(extra='{"a":1}'),
    ],
)
def test_everything_else_makes_another_text(other: Reading) -> None:
    assert reading_text(other, None) != reading_text(reading(), None)


def test_the_unit_makes_another_text() -> None:
    assert reading_text(reading(), "kg") != reading_text(reading(), "lb")


def test_columns_hold_the_same_readings() -> None:
    readings = [reading(qty=1.0), reading(qty=2.0), reading("2026-05-04")]
    held = columns(readings)
    assert [held.reading(index) for index in range(3)] == readings
    assert columns([]) == NONE


def test_parts_are_joined_in_their_order() -> None:
    parts = [columns([reading(qty=1.0)]), NONE, columns([reading(qty=2.0), reading(qty=3.0)])]
    assert list(joined(parts).qty) == [1.0, 2.0, 3.0]
    assert joined(parts[:1]) is parts[0]
    assert joined([NONE, NONE]) == NONE


def test_a_block_can_be_had_without_some_of_its_readings() -> None:
    held = columns([reading(qty=1.0), reading(qty=2.0), reading(qty=3.0)])
    block = Block(7, "Step_Count", "count", [0, 2, 5], held)
    kept = block.only([True, False, True])
    assert (kept.ordinal, kept.sent_as, kept.unit) == (7, "Step_Count", "count")
    assert (list(kept.places), list(kept.readings.qty), len(kept)) == ([0, 5], [1.0, 3.0], 2)
    assert len(block) == 3


def test_the_times_of_a_metric_are_those_of_all_its_blocks() -> None:
    timed, alone = reading(), reading("2026-05-04")
    blocks = [Block(n, "x", None, [0], columns([one])) for n, one in enumerate((timed, alone))]
    times = Metric("x", [*blocks, Block(2, "x", None, [], columns([]))]).times()
    assert list(times.timed.instants) == [timed.moment.at_ms]
    assert list(times.alone.instants) == [alone.moment.day * DAY_MS]
