"""Nights: several devices, segments beside summaries, pieces, naps."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from healthlog.hae.words import STAGES
from healthlog.moment import HOUR_MS, MINUTE_MS, day_text
from healthlog.nights.nights import Night, nights
from healthlog.nights.words import SLEPT, Segment, Summary
from healthlog.series.buckets import Change, Stretch, Zones
from healthlog.series.source_order import SourceOrder
from tests.support.lines import CEST, at

WATCH, PHONE, APP = ("Watch",), ("iPhone",), ("SleepApp",)


def stretch(start: str, end: str) -> Stretch:
    """Wall times at UTC+2: in the evening those of 1 June, else those of the 2nd."""
    return Stretch(*(at(_dated(text)) for text in (start, end)))


def _dated(text: str) -> str:
    if "-" in text:
        return text
    return f"06-01 {text}" if text >= "12:00" else f"06-02 {text}"


def seg(start: str, end: str, stage: str, sources: Any = WATCH, rank: int = 1) -> Segment:
    key = f"{start}|{end}|{stage}|{','.join(sources)}"
    return Segment(key, sources, (rank, rank, ""), stretch(start, end), stage)


def total(
    start: str, end: str, slept_h: float | None, sources: Any = WATCH, **more: Any
) -> Summary:
    slept = stretch(start, end)
    rank = more.pop("rank", 1)
    bed = more.pop("bed", None)
    plain: dict[str, Any] = {
        "key": f"{start}|{end}|{','.join(sources)}",
        "sources": sources,
        "rank": (rank, rank, ""),
        "slept": slept,
        "bed": None if bed is None else stretch(*bed),
        "is_nap": False,
        "asleep_h": slept_h,
        "in_bed_h": None if bed is None else stretch(*bed).length_ms / HOUR_MS,
    }
    return Summary(**{**plain, **more})


def told(*words: Segment | Summary, clock: Zones = CEST, order: Any = None) -> list[Night]:
    return nights(words, order or SourceOrder(), clock)


def one(*words: Segment | Summary, **more: Any) -> Night:
    [night] = told(*words, **more)
    return night


# ---- segments of one source


def test_segments_add_up_by_stage() -> None:
    night = one(
        seg("23:50", "00:40", "core"), seg("00:40", "01:10", "deep"), seg("01:10", "01:20", "awake")
    )
    assert night.asleep_h == pytest.approx(4 / 3, abs=1e-6)
    assert night.hours == pytest.approx({"core": 5 / 6, "deep": 0.5, "awake": 1 / 6}, abs=1e-6)
    assert (night.slept, day_text(night.day)) == (stretch("23:50", "01:10"), "2026-06-02")


@pytest.mark.scenario("nights", "Awake inside asleep is not slept")
def test_awake_inside_asleep_is_not_slept() -> None:
    night = one(seg("23:00", "07:00", "asleep"), seg("03:00", "03:30", "awake"))
    assert (night.asleep_h, night.hours) == (7.5, {"awake": 0.5, "asleep": 7.5})


@pytest.mark.scenario("nights", "Union of stages is the night")
def test_of_those_said_together_the_most_specific_stage_counts() -> None:
    night = one(
        seg("22:00", "08:00", "in_bed"),
        seg("23:00", "07:00", "asleep"),
        seg("23:00", "05:00", "core"),
        seg("02:00", "03:00", "deep"),
        seg("02:30", "04:00", "rem"),
    )
    # Eight hours slept, however often they are told; ten in bed.
    assert (night.asleep_h, night.in_bed_h) == (8, 10)
    assert night.hours == {"deep": 1, "rem": 1, "core": 4, "asleep": 2}
    assert night.bed == stretch("22:00", "08:00")


@pytest.mark.scenario("nights", "Revised stage replaces the earlier one")
def test_what_was_said_last_counts() -> None:
    night = one(
        seg("23:00", "02:00", "deep"),
        seg("23:00", "01:00", "core", rank=2),
        seg("01:00", "02:00", "awake", rank=2),
    )
    assert (night.asleep_h, night.hours) == (2, {"awake": 1, "core": 2})
    assert night.slept == stretch("23:00", "01:00")


def test_a_word_that_covers_less_leaves_the_rest_as_it_was() -> None:
    night = one(seg("23:00", "03:00", "deep"), seg("00:00", "01:00", "rem", rank=2))
    assert night.hours == {"deep": 3, "rem": 1}


def test_time_in_bed_is_unknown_where_nobody_measured_it() -> None:
    night = one(seg("23:00", "07:00", "core"))
    assert (night.in_bed_h, night.bed) == (None, None)


def test_asleep_beyond_the_time_in_bed_is_in_bed() -> None:
    night = one(seg("23:00", "06:00", "in_bed"), seg("23:30", "07:00", "core"))
    assert (night.in_bed_h, night.asleep_h) == (8, 7.5)


def test_in_bed_alone_is_a_night_without_sleep() -> None:
    night = one(seg("23:00", "07:00", "in_bed", PHONE))
    assert (night.asleep_h, night.in_bed_h, night.hours) == (None, 8, {})
    assert night.slept == stretch("23:00", "07:00")


def test_awake_alone_is_no_night() -> None:
    assert told(seg("03:00", "04:00", "awake")) == []


# ---- pieces


@pytest.mark.scenario("nights", "Broken night is one")
@pytest.mark.parametrize(("start", "count"), [("03:59", 1), ("04:00", 2)])
def test_pieces_less_than_an_hour_apart_are_one_night(start: str, count: int) -> None:
    found = told(seg("23:00", "03:00", "core"), seg(start, "07:00", "core"))
    assert len(found) == count
    assert sum(night.asleep_h or 0 for night in found) == pytest.approx(
        4 + stretch(start, "07:00").length_ms / HOUR_MS, abs=1e-6
    )


def test_pieces_are_told_apart_by_their_time_in_bed() -> None:
    first = total("23:00", "02:00", 3, bed=("22:30", "02:40"))
    second = total("03:45", "07:00", 3, bed=("03:30", "07:10"))
    night = one(first, second)
    assert (night.asleep_h, night.slept) == (6, stretch("23:00", "07:00"))
    assert night.in_bed_h == pytest.approx(4 + 1 / 6 + 3 + 2 / 3, abs=1e-6)
    assert night.bed == stretch("22:30", "07:10")


def test_being_awake_in_between_holds_a_night_together() -> None:
    found = told(
        seg("23:00", "02:00", "core"), seg("02:00", "03:30", "awake"), seg("03:30", "07:00", "core")
    )
    assert [night.asleep_h for night in found] == [6.5]


@pytest.mark.scenario("nights", "Nap joins nothing")
def test_a_summarised_nap_joins_nothing() -> None:
    nap = total("19:00", "19:45", 0.75, is_nap=True)
    found = told(nap, total("20:15", "04:00", 7))
    assert [(night.is_nap, night.asleep_h) for night in found] == [(True, 0.75), (False, 7)]


def test_a_nap_of_segments_is_one_by_its_hours() -> None:
    [nap, night] = told(seg("14:00", "14:40", "core"), seg("23:00", "07:00", "core"))
    assert (nap.is_nap, night.is_nap) == (True, False)
    assert day_text(nap.day) == "2026-06-01"


def test_a_night_belongs_to_the_day_of_waking_up_by_the_clock() -> None:
    clock = Zones([Change(0, 120), Change(at("06-02 06:00"), -240)])
    # Up at seven in Berlin, which the clock by then calls one at night in New York.
    assert day_text(one(total("23:00", "07:00", 7), clock=clock).day) == "2026-06-02"
    late = Zones([Change(0, 120), Change(at("06-02 03:00"), -420)])
    assert day_text(one(total("23:00", "07:00", 7), clock=late).day) == "2026-06-01"


# ---- summaries of one source


@pytest.mark.scenario("nights", "Overlapping summaries are never added")
def test_overlapping_summaries_are_never_added() -> None:
    early, late = total("23:00", "06:00", 6.5), total("23:10", "07:00", 7, rank=2)
    assert one(early, late).asleep_h == 7
    assert one(total("23:00", "06:00", 6.5, rank=3), late).asleep_h == 6.5


def test_of_summaries_said_together_the_longest_counts() -> None:
    assert one(total("23:00", "06:00", 6.5), total("22:00", "06:30", 7.9)).asleep_h == 7.9


@pytest.mark.scenario("nights", "Nap swallowed by a night counts once")
def test_a_nap_swallowed_by_the_next_night_counts_once() -> None:
    nap = total("17:42", "18:30", 0.8, is_nap=True)
    swallowing = total("17:42", "06:30", 7.9)
    night = one(nap, swallowing)
    assert (night.asleep_h, night.is_nap) == (7.9, False)


def test_a_nap_beside_a_night_is_kept() -> None:
    found = told(
        total("23:51", "06:24", 6.48), total("06-02 14:00", "06-02 14:30", 0.5, is_nap=True)
    )
    assert [(night.asleep_h, night.is_nap) for night in found] == [(6.48, False), (0.5, True)]
    assert {day_text(night.day) for night in found} == {"2026-06-02"}


def test_pieces_of_summaries_add_their_stages() -> None:
    night = one(
        total("23:00", "02:00", 3, hours={"core": 2, "deep": 1}, flags=("b",)),
        total("02:30", "06:00", 3, hours={"core": 3}, flags=("a",)),
    )
    assert (night.asleep_h, night.hours) == (6, {"core": 5, "deep": 1})
    assert night.flags == ("a", "b")


# ---- segments beside summaries


@pytest.mark.scenario("nights", "Segments come before summaries")
def test_segments_come_before_summaries() -> None:
    night = one(total("23:00", "07:00", 7.9), seg("23:10", "06:40", "core"))
    assert night.asleep_h == 7.5


def test_segments_that_tell_of_no_sleep_silence_no_summary() -> None:
    night = one(total("23:00", "07:00", 7.9), seg("22:50", "07:10", "in_bed"))
    assert night.asleep_h == 7.9
    assert night.in_bed_h == pytest.approx(8 + 1 / 3, abs=1e-6)


@pytest.mark.scenario("nights", "Time in bed that a summary knows counts once")
def test_in_bed_beside_a_summary_that_knows_its_own_time_in_bed_counts_once() -> None:
    night = one(
        total("23:00", "07:00", 7.5, bed=("22:45", "07:15")), seg("22:30", "07:10", "in_bed")
    )
    assert (night.asleep_h, night.in_bed_h) == (7.5, 8.75)
    assert night.bed == stretch("22:30", "07:15")


@pytest.mark.parametrize(("bed", "in_bed_h"), [(None, 1.416667), (("13:50", "15:10"), 1.416667)])
def test_in_bed_around_a_nap_is_the_nap_s(bed: tuple[str, str] | None, in_bed_h: float) -> None:
    nap = one(total("14:00", "15:00", 0.8, is_nap=True, bed=bed), seg("13:45", "15:10", "in_bed"))
    assert (nap.is_nap, nap.asleep_h, nap.in_bed_h) == (True, 0.8, in_bed_h)


def test_in_bed_of_a_whole_night_is_no_nap_s() -> None:
    found = told(total("19:00", "20:00", 0.8, is_nap=True), seg("20:00", "06:00", "in_bed"))
    assert [(night.is_nap, night.in_bed_h) for night in found] == [(True, None), (False, 10)]


def test_in_bed_between_two_naps_counts_once() -> None:
    found = told(
        total("13:00", "14:00", 0.9, is_nap=True),
        total("14:30", "15:00", 0.4, is_nap=True),
        seg("14:00", "14:30", "in_bed"),
    )
    assert [night.in_bed_h for night in found] == [0.5, None]


def test_segments_of_one_night_silence_no_other_night() -> None:
    found = told(
        total("05-30 23:00", "05-31 07:00", 7.9),
        total("23:00", "07:00", 7.8),
        seg("23:10", "06:40", "core"),
    )
    assert [night.asleep_h for night in found] == [7.9, 7.5]


def test_a_summary_less_than_an_hour_from_segments_is_a_piece_of_the_night() -> None:
    assert one(total("23:00", "02:00", 2.5), seg("02:30", "06:30", "core")).asleep_h == 6.5


# ---- segments that tell too little


def stray(*stages: tuple[str, str, str]) -> list[Segment]:
    return [seg(*stage, rank=2) for stage in stages]


@pytest.mark.scenario("nights", "Stray segment erases no night")
def test_a_stray_segment_erases_no_night() -> None:
    night = one(total("23:00", "07:00", 7.5, hours={"core": 7.5}), seg("06:58", "06:59", "core"))
    assert (night.asleep_h, night.hours) == (7.5, {"core": 7.5})
    assert (night.slept, night.keys) == (stretch("23:00", "07:00"), ("23:00|07:00|Watch",))


@pytest.mark.scenario("nights", "Segments answer from half of the sleep on")
@pytest.mark.parametrize(
    ("end", "asleep_h"), [("03:00", 4), ("02:45", 3.75), ("02:44", 7.5), ("23:01", 7.5)]
)
def test_segments_answer_from_half_of_the_sleep_on(end: str, asleep_h: float) -> None:
    assert one(total("23:00", "07:00", 7.5), seg("23:00", end, "core")).asleep_h == asleep_h


def test_the_sleep_that_segments_tell_is_the_union_of_its_stages() -> None:
    twice = [seg("23:00", "01:30", "core"), seg("23:00", "01:30", "asleep")]
    assert one(total("23:00", "07:00", 7.5), *twice).asleep_h == 7.5
    parts = [seg("23:00", "01:00", "core"), seg("01:30", "03:30", "deep")]
    assert one(total("23:00", "07:00", 7.5), *parts).asleep_h == 4


def test_only_sleep_within_its_time_weighs_against_a_summary() -> None:
    # Half an hour of the first summary's three; the rest of the night is told by segments alone.
    night = one(total("23:00", "02:00", 3), seg("01:30", "06:30", "core"))
    assert (night.asleep_h, night.slept) == (7.5, stretch("23:00", "06:30"))


@pytest.mark.parametrize("known", [None, 0.0])
def test_a_summary_without_a_total_yields_to_segments(known: float | None) -> None:
    assert one(total("23:00", "07:00", known), seg("06:00", "06:30", "core")).asleep_h == 0.5


def test_segments_are_silent_where_a_summary_outweighs_them() -> None:
    words = stray(("06:40", "06:50", "awake"), ("06:50", "07:00", "core"))
    night = one(total("23:00", "07:00", 7.5, hours={"core": 7.5, "awake": 0.5}), *words)
    assert (night.asleep_h, night.hours) == (7.5, {"core": 7.5, "awake": 0.5})


def test_awake_alone_adds_nothing_to_a_summary() -> None:
    summary = total("23:00", "07:00", 7.5, hours={"core": 7.5, "awake": 0.5})
    assert one(summary, seg("03:00", "03:30", "awake")).hours == {"core": 7.5, "awake": 0.5}


@pytest.mark.parametrize(("bed", "in_bed_h"), [(("22:45", "07:15"), 8.5), (None, 9)])
def test_time_in_bed_beside_stray_segments_counts_once(
    bed: tuple[str, str] | None, in_bed_h: float
) -> None:
    words = [seg("22:45", "07:15", "in_bed"), seg("06:58", "06:59", "core")]
    if bed is None:
        words.append(seg("07:15", "07:45", "in_bed"))
    night = one(total("23:00", "07:00", 7.5, bed=bed), *words)
    assert (night.asleep_h, night.in_bed_h) == (7.5, in_bed_h)


def test_a_stray_segment_of_a_nap_erases_no_nap() -> None:
    nap = total("14:00", "15:00", 0.9, is_nap=True)
    found = told(nap, seg("14:00", "14:01", "core"))
    assert [(night.is_nap, night.asleep_h) for night in found] == [(True, 0.9)]


def test_each_summary_of_a_night_is_weighed_by_itself() -> None:
    night = one(
        total("23:00", "02:00", 3), total("02:30", "06:30", 4), seg("02:30", "05:00", "core")
    )
    assert night.asleep_h == 5.5


def test_the_order_of_stray_words_says_nothing() -> None:
    words: list[Segment | Summary] = [
        total("23:00", "03:00", 3.9),
        total("03:10", "07:00", 3.5, rank=2),
        *stray(("02:30", "03:20", "core"), ("06:50", "07:20", "rem"), ("22:30", "23:10", "awake")),
        seg("22:30", "07:30", "in_bed"),
    ]
    expected = told(*words)
    chance = random.Random(7)
    for _ in range(20):
        chance.shuffle(words)
        assert told(*words) == expected


# ---- several sources


@pytest.mark.scenario("nights", "Two sources of one night are never added")
def test_nights_of_two_sources_are_one() -> None:
    night = one(total("23:00", "07:00", 7.2), total("22:50", "07:10", 7.9, APP))
    assert (night.sources, night.asleep_h) == (WATCH, 7.2)


@pytest.mark.scenario("nights", "Source that knows too little does not answer")
@pytest.mark.parametrize(("hours", "source"), [(3.9, APP), (4, WATCH)])
def test_a_source_answers_if_it_knows_half_of_what_the_best_one_knows(
    hours: float, source: tuple[str, ...]
) -> None:
    died = total("23:00", "03:00", hours)
    assert one(died, total("23:00", "07:30", 8, APP)).sources == source


def test_what_the_phone_merged_itself_answers_first() -> None:
    night = one(total("23:00", "07:00", 7.2), total("23:00", "07:10", 7.3, ("Watch", "iPhone")))
    assert night.asleep_h == 7.3


def test_the_order_of_the_sources_can_be_set() -> None:
    words = [total("23:00", "07:00", 7.2), total("22:50", "07:10", 7.9, APP)]
    assert one(*words, order=SourceOrder(("sleepapp", "watch"))).sources == APP


def test_three_sources_over_midnight() -> None:
    # Numbers of tests/data/cases/25_sleep_raw_segments.json.
    night = one(
        seg("23:50", "00:40", "core"),
        seg("00:40", "01:10", "deep"),
        seg("23:40", "01:15", "in_bed", PHONE),
        seg("23:45", "01:12", "asleep", APP),
    )
    assert night.sources == WATCH
    assert night.asleep_h == pytest.approx(4 / 3, abs=1e-6)


def test_where_nobody_knows_of_sleep_the_time_in_bed_decides() -> None:
    night = one(seg("23:00", "07:00", "in_bed", PHONE), seg("23:00", "02:00", "in_bed", APP))
    assert (night.sources, night.in_bed_h) == (PHONE, 8)


def test_a_night_that_two_others_overlap_makes_them_one() -> None:
    found = told(
        total("21:00", "23:30", 2, PHONE),
        total("23:00", "07:00", 7),
        total("06:30", "08:00", 1, APP),
    )
    assert [(night.sources, night.asleep_h) for night in found] == [(WATCH, 7)]


def test_the_answering_source_keeps_its_nap_apart() -> None:
    # The app makes one of an afternoon's nap and the night after it.
    found = told(
        total("17:42", "18:30", 0.8, is_nap=True),
        total("23:00", "06:30", 7.1),
        total("17:40", "06:35", 8, APP),
    )
    assert [(night.asleep_h, night.is_nap) for night in found] == [(0.8, True), (7.1, False)]


def test_nights_that_only_touch_are_two() -> None:
    assert len(told(total("23:00", "03:00", 4), total("03:00", "07:00", 4, APP))) == 2


def test_the_order_of_the_words_says_nothing() -> None:
    words: list[Segment | Summary] = [
        total("23:00", "07:00", 7.2),
        total("22:50", "07:10", 7.9, APP),
        seg("23:50", "00:40", "core", PHONE),
        seg("00:10", "00:40", "deep", PHONE),
        seg("23:00", "08:00", "in_bed", PHONE),
        total("06-02 14:00", "06-02 14:30", 0.5, is_nap=True),
    ]
    expected = told(*words)
    chance = random.Random(7)
    for _ in range(20):
        chance.shuffle(words)
        assert told(*words) == expected


# ---- by definition


def by_minute(segments: Sequence[Segment]) -> dict[str, int]:
    """Minutes by stage of one source, each minute by itself."""
    found: dict[str, int] = {}
    first = min(one.stretch.first_ms for one in segments)
    last = max(one.stretch.last_ms for one in segments)
    for at_ms in range(first, last, MINUTE_MS):
        there = [s for s in segments if s.stretch.first_ms <= at_ms < s.stretch.last_ms]
        if there:
            newest = max(s.rank for s in there)
            stages = (s.stage for s in there if s.rank == newest)
            stage = min(stages, key=STAGES.index)
            found[stage] = found.get(stage, 0) + 1
    return found


@pytest.mark.parametrize("seed", range(30))
def test_it_is_what_counting_minute_by_minute_gives(seed: int) -> None:
    chance = random.Random(seed)
    segments = []
    for _ in range(chance.randint(1, 25)):
        start = at("06-01 22:00") + chance.randrange(500) * MINUTE_MS
        piece = Stretch(start, start + chance.randint(1, 180) * MINUTE_MS)
        rank = chance.randint(1, 3)
        stage = chance.choice(STAGES)
        segments.append(Segment(str(piece), WATCH, (rank, rank, ""), piece, stage))
    expected = by_minute(segments)
    found = told(*segments)
    asleep = sum(minutes for stage, minutes in expected.items() if stage in SLEPT)
    assert sum(night.asleep_h or 0 for night in found) * 60 == pytest.approx(asleep, abs=0.01)
    for stage in SLEPT:
        hours = sum(night.hours.get(stage, 0) for night in found)
        assert hours * 60 == pytest.approx(expected.get(stage, 0), abs=0.01)
