"""Amounts of several sources in raw and sample: in each minute one source answers."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Sequence

import pytest

from healthlog.moment import DAY_MS, HOUR_MS, MINUTE_MS
from healthlog.series.buckets import minute_of
from healthlog.series.line import Line
from healthlog.series.resolve import Part, raws, samples
from healthlog.series.source_order import SourceOrder
from tests.support.lines import at, line, many

ORDER = SourceOrder()
Resolved = Callable[[Sequence[Line]], list[Part]]


def hour_of(at_ms: int) -> int:
    return at_ms - at_ms % HOUR_MS


def counted(parts: Sequence[Part]) -> dict[tuple[str, ...], float]:
    """What counts of each source."""
    found: defaultdict[tuple[str, ...], float] = defaultdict(float)
    for part in parts:
        found[part.line.sources] += part.figures[0].value or 0
    return dict(found)


def of_raw(*lines: Line) -> dict[tuple[str, ...], float]:
    return counted(raws(sorted(lines), ORDER, minute_of))


def of_samples(*lines: Line) -> dict[tuple[str, ...], float]:
    return counted(samples(sorted(lines), ORDER, minute_of))


# ---- raw


@pytest.mark.scenario("series", "Walk on two devices counts once")
def test_a_walk_told_by_two_devices_counts_once() -> None:
    watch = many("06-01 12:00", 30, 1, 100, sources=("Watch",))
    phone = many("06-01 12:00", 30, 1, 90, sources=("iPhone",))
    assert of_raw(*watch, *phone) == {("Watch",): 3000}


@pytest.mark.scenario("series", "Hours that one device saw are not lost")
def test_hours_that_only_one_device_saw_are_not_lost() -> None:
    watch = many("06-01 09:00", 180, 1, 10, sources=("Watch",))
    phone = many("06-01 09:00", 600, 1, 9, sources=("iPhone",))
    assert of_raw(*watch, *phone) == {("Watch",): 1800, ("iPhone",): 420 * 9}


def test_what_the_phone_merged_itself_comes_first() -> None:
    merged = line("06-01 12:00", 100, "Watch", "iPhone")
    watch = line("06-01 12:00", 80, "Watch")
    assert of_raw(merged, watch) == {("Watch", "iPhone"): 100}


def test_one_source_alone_is_left_as_it_is() -> None:
    lines = many("06-01 12:00", 3, 20, 7, sources=("Garmin",))
    parts = raws(lines, ORDER, minute_of)
    assert [(part.bucket_ms, part.figures[0].value) for part in parts] == [
        (one.at_ms, 7) for one in lines
    ]


def test_a_raw_amount_counts_in_its_own_minute() -> None:
    lines = [line("06-01 12:00:50", 7, "Watch"), line("06-01 12:10:05", 5, "Watch")]
    found = [part.bucket_ms for part in raws(lines, ORDER, minute_of)]
    assert found == [at("06-01 12:00"), at("06-01 12:10")]


def test_a_raw_amount_lasts_until_the_next_one_of_its_source() -> None:
    # From 12:00 to 12:10 the phone tells of 100 steps, the watch of five of these minutes.
    phone = [line("06-01 12:00", 100, "iPhone"), line("06-01 12:10", 0, "iPhone")]
    watch = many("06-01 12:05", 6, 1, 8, sources=("Watch",))
    assert of_raw(*phone, *watch) == {("iPhone",): 50, ("Watch",): 48}


@pytest.mark.parametrize(("minutes", "left"), [(15, 14 / 15 * 150), (16, 0)])
def test_it_lasts_fifteen_minutes_at_most_else_it_has_its_own(minutes: int, left: float) -> None:
    phone = [line("06-01 12:00", 150, "iPhone"), line(at("06-01 12:00") + minutes * 60_000, 0)]
    phone[1] = phone[1]._replace(sources=("iPhone",))
    watch = line("06-01 12:00:20", 8, "Watch")
    assert of_raw(*phone, watch).get(("iPhone",), 0) == pytest.approx(left)


def test_the_last_reading_has_only_its_own_minute() -> None:
    phone = line("06-01 12:00:30", 60, "iPhone")
    assert of_raw(phone, line("06-01 12:01:00", 8, "Watch")) == {("iPhone",): 60, ("Watch",): 8}
    assert of_raw(phone, line("06-01 12:00:59", 8, "Watch")) == {("Watch",): 8}


def test_part_of_a_minute_is_a_part_of_its_time() -> None:
    # 12:00:30 to 12:01:30; the watch answers in 12:01, which is half of that time.
    phone = [line("06-01 12:00:30", 60, "iPhone"), line("06-01 12:01:30", 0, "iPhone")]
    assert of_raw(*phone, line("06-01 12:01:10", 8, "Watch")) == {("iPhone",): 30, ("Watch",): 8}


def test_a_source_after_it_in_the_order_takes_nothing_away() -> None:
    watch = [line("06-01 12:00", 100, "Watch"), line("06-01 12:10", 1, "Watch")]
    phone = many("06-01 12:00", 10, 1, 50, sources=("iPhone",))
    assert of_raw(*watch, *phone) == {("Watch",): 101}


def test_two_readings_of_one_second_count_both_for_the_same_time() -> None:
    twins = [line("06-01 12:00:10", value, "iPhone") for value in (0.2, 12.14)]
    later = line("06-01 12:01:10", 0, "iPhone")
    assert of_raw(*twins, later) == {("iPhone",): pytest.approx(12.34)}
    watch = line("06-01 12:00:40", 8, "Watch")
    assert of_raw(*twins, later, watch)["iPhone",] == pytest.approx(12.34 / 6)


# ---- sample


def test_a_sample_is_spread_evenly_over_its_minutes() -> None:
    parts = samples([line("06-01 12:58", 40, "Watch", minutes=4)], ORDER, hour_of)
    assert [(part.bucket_ms, part.figures[0].value) for part in parts] == [
        (at("06-01 12:00"), 20),
        (at("06-01 13:00"), 20),
    ]


def test_a_sample_within_a_bucket_counts_to_the_last_digit() -> None:
    parts = samples([line("06-01 12:01", 0.1, "Watch", minutes=7.3)], ORDER, hour_of)
    assert [part.figures[0].value for part in parts] == [0.1]


def test_samples_of_two_devices_are_resolved_minute_by_minute() -> None:
    phone = line("06-01 12:00", 100, "iPhone", minutes=10)
    watch = line("06-01 12:04", 30, "Watch", minutes=3)
    assert of_samples(phone, watch) == {("iPhone",): 70, ("Watch",): 30}


def test_a_minute_has_one_answer_however_little_of_it_is_known() -> None:
    phone = line("06-01 12:00", 60, "iPhone", minutes=1)
    watch = line("06-01 12:00:30", 5, "Watch", minutes=0.25)
    assert of_samples(phone, watch) == {("Watch",): 5}


def test_several_samples_of_the_answering_source_count_all() -> None:
    lines = [line("06-01 12:00:10", 5, "Watch", minutes=0.2), line("06-01 12:00:40", 6, "Watch")]
    assert of_samples(*lines) == {("Watch",): 11}


def test_a_sample_without_length_counts_at_its_minute() -> None:
    [part] = samples([line("06-01 12:00:30", 5, "Watch")], ORDER, minute_of)
    assert (part.bucket_ms, part.figures[0].value) == (at("06-01 12:00"), 5)


@pytest.mark.parametrize(("minutes", "parts"), [(24 * 60, 25), (24 * 60 + 1, 1)])
def test_a_sample_of_more_than_a_day_counts_at_its_start(minutes: int, parts: int) -> None:
    found = samples([line("06-01 12:30", 5, "Watch", minutes=minutes)], ORDER, hour_of)
    assert len(found) == parts
    assert sum(part.figures[0].value or 0 for part in found) == pytest.approx(5)
    assert found[0].bucket_ms == at("06-01 12:00")


def test_a_sample_of_more_than_a_day_hides_nobody_after_its_first_minute() -> None:
    long = line("06-01 12:00", 5, "Watch", minutes=2 * DAY_MS // MINUTE_MS)
    phone = line("06-01 12:00", 60, "iPhone", minutes=2)
    assert of_samples(long, phone) == {("Watch",): 5, ("iPhone",): 30}


# ---- by definition


def by_second(lines: Sequence[Line], is_sample: bool) -> dict[int, float]:
    """What counts in each minute, worked out second by second (whole seconds only)."""
    spans = [_span(lines, one, is_sample) for one in lines]
    seconds: defaultdict[int, list[int]] = defaultdict(list)
    for number, (begin, end) in enumerate(spans):
        for second in range(begin, end):
            seconds[second // 60].append(number)
    first = {
        minute: min(ORDER.place(lines[number].sources) for number in there)
        for minute, there in seconds.items()
    }
    found: defaultdict[int, float] = defaultdict(float)
    for one, (begin, end) in zip(lines, spans, strict=True):
        value, place = one.figures[0].value or 0, ORDER.place(one.sources)
        for second in range(begin, end):
            if first[second // 60] == place if is_sample else first[second // 60] >= place:
                minute = second // 60 if is_sample else one.at_ms // MINUTE_MS
                found[minute] += value / (end - begin)
    return {minute: value for minute, value in found.items() if value > 1e-9}


def _span(lines: Sequence[Line], one: Line, is_sample: bool) -> tuple[int, int]:
    begin = one.at_ms // 1000
    if is_sample and one.length_ms:
        return begin, begin + one.length_ms // 1000
    later = [
        other.at_ms // 1000
        for other in lines
        if other.sources == one.sources and other.at_ms > one.at_ms
    ]
    if not is_sample and later and min(later) - begin <= 900:
        return begin, min(later)
    return begin // 60 * 60, begin // 60 * 60 + 60


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("is_sample", [True, False])
def test_it_is_what_counting_second_by_second_gives(seed: int, is_sample: bool) -> None:
    chance = random.Random(seed)
    sources = [("Watch",), ("iPhone",), ("Garmin",), (), ("Watch", "iPhone")]
    lines = sorted(
        line(
            at("06-01 12:00") + chance.randrange(7_200) * 1000,
            chance.randint(0, 50),
            sources=chance.choice(sources[: chance.randint(1, 5)]),
            minutes=chance.choice((0, 0.5, 1, 7, 25)) if is_sample else 0,
        )
        for _ in range(chance.randint(1, 40))
    )
    found: defaultdict[int, float] = defaultdict(float)
    for part in (samples if is_sample else raws)(lines, ORDER, minute_of):
        found[part.bucket_ms // MINUTE_MS] += part.figures[0].value or 0
    told = {minute: value for minute, value in found.items() if value > 1e-9}
    assert told == pytest.approx(by_second(lines, is_sample))
