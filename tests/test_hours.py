"""Hours, minutes: their own rows, or one of the finer layers."""

from __future__ import annotations

from typing import Any

import pytest

from healthlog.layer import HOUR, MINUTE, RAW, SAMPLE
from healthlog.moment import MINUTE_MS
from healthlog.series.buckets import Change, Stretch, Zones
from healthlog.series.catalogue import AVG, Entry
from healthlog.series.hours import Timed, apart
from healthlog.series.line import Line
from healthlog.series.measure import Measure
from healthlog.series.source_order import SourceOrder
from tests.support.lines import (
    CEST,
    PULSE,
    STEPS,
    WEIGHT,
    PlainShelf,
    at,
    day_of,
    instants,
    line,
    many,
    openness,
    series,
    value,
    word,
)

NOON, ONE = "06-01 12:00", "06-01 13:00"


def hours(
    rows: dict[str, list[Line]], first: str = "06-01 00:00", last: str = "06-02 00:00", **more: Any
) -> dict[str, tuple[float | None, str]]:
    return instants(rows, HOUR, first, last, **more)


def samples(first: str, count: int, minutes: int, value: float) -> list[Line]:
    """Samples one behind the other."""
    return [
        one._replace(length_ms=minutes * MINUTE_MS) for one in many(first, count, minutes, value)
    ]


def minutes(rows: dict[str, list[Line]], **more: Any) -> dict[str, tuple[float | None, str]]:
    return instants(rows, MINUTE, NOON, ONE, **more)


# ---- hours


def test_an_hour_is_answered_by_its_own_closed_row() -> None:
    rows = {HOUR: [line(NOON, 500)], MINUTE: many(NOON, 60, 1, 10)}
    assert hours(rows) == {NOON: (500, "hour")}


def test_several_readings_of_one_hour_add_up() -> None:
    assert hours({HOUR: [line(NOON, 20), line(NOON, 30)]}) == {NOON: (50, "hour")}


def test_an_hour_without_a_row_is_made_of_what_is_finer() -> None:
    assert hours({HOUR: [line(ONE, 9)], MINUTE: many(NOON, 60, 1, 10)}) == {
        NOON: (600, "minute"),
        ONE: (9, "hour"),
    }


@pytest.mark.scenario("series", "Hour is answered by one finer layer")
def test_an_hour_is_made_of_one_finer_layer_the_coarsest_closed() -> None:
    rows = {
        MINUTE: many(NOON, 2, 1, 10, word=word(9, "06-01 10:30")),
        RAW: many(NOON, 50, 1, 1, word=word(1)),
        SAMPLE: many(NOON, 40, 1, 1, word=word(2)),
    }
    assert hours(rows) == {NOON: (50, "raw")}
    rows[MINUTE] = many(NOON, 2, 1, 10)
    assert hours(rows) == {NOON: (20, "minute")}


# ---- the hour in which a live feed begins beside imported history


@pytest.mark.scenario("series", "Hour in which the live feed begins is whole")
def test_the_hour_in_which_the_live_feed_begins_is_whole() -> None:
    rows = {
        SAMPLE: samples("06-01 11:00", 18, 5, 50),  # up to 12:30
        MINUTE: many("06-01 12:20", 100, 1, 10),
    }
    assert hours(rows, "06-01 11:00", "06-01 14:00") == {
        "06-01 11:00": (600, "sample"),
        NOON: (200 + 400, "minute+sample"),
        ONE: (600, "minute"),
    }
    [day] = series(rows).dates("day", day_of("06-01"), day_of("06-02"))
    assert value(day) == 1800


def test_a_sample_that_reaches_into_the_live_feed_is_left_to_it() -> None:
    rows = {
        SAMPLE: [line(NOON, 50, minutes=10), line("06-01 12:10", 70, minutes=10.5)],
        RAW: [line("06-01 12:20", 7), line("06-01 12:55", 9)],
    }
    assert hours(rows) == {NOON: (66, "raw+sample")}


def test_history_of_several_sources_before_the_live_feed_counts_once() -> None:
    both = [line(NOON, 50, source, minutes=10) for source in ("Watch", "iPhone")]
    assert hours({SAMPLE: both, MINUTE: many("06-01 12:20", 40, 1, 10)})[NOON][0] == 450


def test_only_the_beginning_of_the_feed_takes_history_in() -> None:
    rows = {
        SAMPLE: samples("06-01 10:00", 180, 1, 1),
        RAW: [line("06-01 10:30", 3), line("06-01 12:30", 5)],
        MINUTE: [line("06-01 12:40", 9)],
    }
    assert hours(rows, "06-01 10:00", ONE) == {
        "06-01 10:00": (33, "raw+sample"),
        "06-01 11:00": (60, "sample"),
        NOON: (9, "minute"),
    }


def test_an_hour_row_that_says_more_needs_no_history() -> None:
    rows = {
        HOUR: [line(NOON, 700)],
        SAMPLE: samples(NOON, 4, 5, 50),
        MINUTE: many("06-01 12:20", 40, 1, 10),
    }
    assert hours(rows) == {NOON: (700, "hour")}


def test_levels_take_no_history_into_the_hour_of_the_live_feed() -> None:
    rows = {SAMPLE: [line(NOON, 60)], MINUTE: many("06-01 12:20", 40, 1, 80)}
    assert hours(rows, entry=PULSE) == {NOON: (80, "minute")}


def test_of_open_finer_layers_the_one_heard_from_last_answers() -> None:
    running = {rank: word(rank, "06-01 10:30") for rank in (1, 2, 3)}
    rows = {
        MINUTE: many(NOON, 9, 1, 10, word=running[1]),
        RAW: many(NOON, 5, 1, 1, word=running[3]),
        SAMPLE: many(NOON, 4, 1, 1, word=running[2]),
    }
    assert hours(rows) == {NOON: (5, "raw")}


def test_an_open_row_answers_only_if_it_says_more() -> None:
    row = line(NOON, 55, word=word(1, "06-01 10:30"))
    assert hours({HOUR: [row], MINUTE: many(NOON, 5, 1, 10)}) == {NOON: (55, "hour")}
    assert hours({HOUR: [row], MINUTE: many(NOON, 6, 1, 10)}) == {NOON: (60, "minute")}


def test_an_hour_holds_what_begins_in_it() -> None:
    rows = {MINUTE: [line("06-01 12:59", 1), line(ONE, 2)]}
    assert hours(rows) == {NOON: (1, "minute"), ONE: (2, "minute")}


def test_hours_begin_where_the_clock_has_them() -> None:
    delhi = Zones([Change(0, 330)])
    rows = {MINUTE: [line("06-01 12:20", 1), line("06-01 12:40", 2)]}  # at UTC+2
    assert hours(rows, clock=delhi) == {
        "06-01 11:30": (1, "minute"),
        "06-01 12:30": (2, "minute"),
    }


def test_what_is_finer_goes_into_the_hour_that_was_sent() -> None:
    # A row of the hour from half past, running: what is finer counts in it, whatever the clock.
    rows = {
        HOUR: [line("06-01 12:30", 1, word=word(1, "06-01 10:40"))],
        MINUTE: [line("06-01 12:20", 5), line("06-01 12:40", 7), line("06-01 13:10", 9)],
    }
    assert hours(rows) == {NOON: (5, "minute"), "06-01 12:30": (16, "minute")}


@pytest.mark.parametrize("entry", [PULSE, WEIGHT])
def test_levels_of_several_sources_are_not_resolved(entry: Entry) -> None:
    rows = {RAW: [line(NOON, 60, "Watch"), line("06-01 12:01", 80, "Strap")]}
    assert hours(rows, entry=entry) == {NOON: (70 if entry.aggregate == AVG else 80, "raw")}


def test_samples_that_began_before_reach_into_the_hour() -> None:
    rows = {SAMPLE: [line("06-01 11:50", 40, "Watch", minutes=40)]}
    assert hours(rows, NOON, ONE) == {NOON: (30, "sample")}
    assert hours(rows, "06-01 11:00", NOON) == {"06-01 11:00": (10, "sample")}


def test_a_raw_amount_of_the_hour_before_may_be_what_hides_another() -> None:
    watch = [line("06-01 11:58", 10, "Watch"), line("06-01 12:03", 1, "Watch")]
    phone = [line("06-01 12:01", 7, "iPhone"), line("06-01 12:40", 7, "iPhone")]
    assert hours({RAW: [*watch, *phone]}, NOON, ONE) == {NOON: (8, "raw")}


def test_no_more_is_read_than_the_hours_that_need_it() -> None:
    rows = [line(at("06-01 00:00") + n * 3_600_000) for n in range(-1, 26) if n != 12]
    shelf = PlainShelf({HOUR: rows, MINUTE: many(NOON, 60, 1)})
    timed = Timed(shelf, Measure(STEPS, "count"), SourceOrder())
    assert len(timed.hours(Stretch(at("06-01 00:00"), at("06-02 00:00")), CEST)) == 24
    assert shelf.asked[1:] == [(MINUTE, at(NOON), at(ONE))]


# ---- hours that overlap


def overlapping(first: Line, second: Line) -> list[int]:
    """Starts that answer, in minutes after noon."""
    return [(one.at_ms - at(NOON)) // 60_000 for one in apart([first, second])]


@pytest.mark.scenario("series", "Of overlapping hours one answers")
def test_of_hours_that_overlap_the_one_first_closed_answers() -> None:
    early, late = word(1).rank, word(2).rank
    delhi, dubai = "06-01 12:30", NOON
    assert overlapping(line(dubai, closed=late), line(delhi, closed=early)) == [30]
    assert overlapping(line(dubai, closed=early), line(delhi, closed=late)) == [0]
    assert overlapping(line(dubai, closed=late), line(delhi)) == [0]


def test_of_open_hours_that_overlap_the_one_said_last_answers() -> None:
    first, second = line(NOON, word=word(2)), line("06-01 12:30", word=word(1))
    assert overlapping(first, second) == [0]
    assert overlapping(first, second._replace(word=word(3))) == [30]


def test_of_hours_said_in_one_breath_the_earliest_answers() -> None:
    closed = word(1).rank
    assert overlapping(line(NOON, closed=closed), line("06-01 12:30", closed=closed)) == [0]
    assert overlapping(line(NOON), line("06-01 12:30")) == [0]


def test_what_overlaps_only_a_silent_hour_answers() -> None:
    rows = [line(NOON), line("06-01 12:30"), line(ONE)]
    ranks = [word(1).rank, word(2).rank, word(3).rank]
    closed = [row._replace(closed=rank) for row, rank in zip(rows, ranks, strict=True)]
    assert apart(closed) == [closed[0], closed[2]]
    closed = [row._replace(closed=rank) for row, rank in zip(rows, (3, 1, 2), strict=True)]  # type: ignore[arg-type]
    assert apart(closed) == [closed[1]]


def test_hours_that_touch_answer_both() -> None:
    assert overlapping(line(NOON), line(ONE)) == [0, 60]


def test_overlapping_hours_count_never_both() -> None:
    ranks = word(1).rank, word(2).rank
    rows = [
        *(line(at("06-01 08:30") + n * 3_600_000, 10, closed=ranks[0]) for n in range(4)),
        *(line(at("06-01 08:00") + n * 3_600_000, 10, closed=ranks[1]) for n in range(5)),
    ]
    found = hours({HOUR: rows})
    assert list(found) == ["06-01 08:30", "06-01 09:30", "06-01 10:30", "06-01 11:30"]


# ---- minutes


def test_a_minute_is_answered_by_its_own_closed_row() -> None:
    rows = {MINUTE: [line(NOON, 5)], RAW: [line("06-01 12:00:10", 9), line("06-01 12:01:10", 7)]}
    assert minutes(rows) == {NOON: (5, "minute"), "06-01 12:01": (7, "raw")}


def test_a_minute_of_samples_has_its_share() -> None:
    rows = {SAMPLE: [line(NOON, 30, "Watch", minutes=3)]}
    assert minutes(rows) == {f"06-01 12:0{n}": (10, "sample") for n in range(3)}


def test_a_minute_is_open_while_it_runs() -> None:
    spoke = word(1, "06-01 10:00:30")
    rows = {MINUTE: [line("06-01 11:59", word=spoke), line(NOON, word=spoke)]}
    stretch = Stretch(at("06-01 11:00"), at(ONE))
    assert openness(series(rows).instants(MINUTE, stretch)) == [False, True]


def test_hours_are_not_asked_for_minutes() -> None:
    assert minutes({HOUR: [line(NOON, 5)], MINUTE: [line("06-01 12:09", 3)]}) == {
        "06-01 12:09": (3, "minute")
    }
