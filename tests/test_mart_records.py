"""Winners of the fields: the records of one delivery against what stands."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

import pytest

from healthlog.mart import record_rows
from healthlog.model import PARTIAL, Counts
from healthlog.planning import Overdue
from tests.support.folding import (
    DEFAULT,
    Bench,
    body,
    delivery,
    metric,
    open_bench,
    planned,
    point,
)
from tests.support.records import (
    listed,
    night,
    nights,
    only,
    reasons,
    sections,
    segment,
    stored,
    workout,
)

LONG = [{"date": f"2026-06-01 12:{minute:02}:00 +0200", "qty": minute} for minute in range(30)]
MORNING = "2026-06-01 02:00:00 +0200"


@pytest.fixture
def bench() -> Iterator[Bench]:
    with open_bench() as made:
        yield made


def workouts(*elements: object) -> bytes:
    return sections(workouts=list(elements))


def play(bench: Bench, number: int, content: bytes, **facts: Any) -> Counts:
    """The counts of the delivery with this number in the journal's order."""
    return bench.play(delivery(number, content, None, **facts), content).counts


def delivery_id(number: int) -> str:
    return delivery(number, b"", None).delivery_id


def rows(bench: Bench, sql: str) -> list[Any]:
    def work(connection: sqlite3.Connection) -> list[Any]:
        return connection.execute(sql).fetchall()

    return bench.mart.read(work)


@pytest.mark.scenario("records", "A poorer re-send erases nothing")
def test_a_poorer_resend_erases_nothing(bench: Bench) -> None:
    rich = workout(heartRateData=LONG, distance={"qty": 5, "units": "km"}, labels=["a", "b"])
    poor = workout(heartRateData=LONG[:2], distance=None, labels=["c"], elevationUp={"qty": 9})
    play(bench, 1, workouts(rich))
    assert play(bench, 2, workouts(poor)) == Counts(received=1, changed=1)
    found = only(bench, "workout")
    assert found["data"] == {
        **rich,
        "labels": ["c"],
        "elevationUp": {"qty": 9},
    }
    assert found["delivery_ids"] == [delivery_id(1), delivery_id(2)]


@pytest.mark.scenario("records", "Zero and false are words")
def test_zero_and_false_are_words(bench: Bench) -> None:
    play(bench, 1, workouts(workout(isIndoor=True, flights=4)))
    play(bench, 2, workouts(workout(isIndoor=False, flights=0)))
    assert only(bench)["data"] == workout(isIndoor=False, flights=0)


@pytest.mark.scenario("records", "A night of zeros leaves a good one alone")
def test_a_night_of_zeros_leaves_a_good_one_alone(bench: Bench) -> None:
    span = ("2026-05-03 22:00:00 +0200", "2026-05-04 06:00:00 +0200")
    good = night(*span, totalSleep=7, core=4, deep=1, rem=2, awake=0.5)
    zero = night(*span, totalSleep=0, core=0, deep=0, rem=0, asleep=0, awake=0.4)
    play(bench, 1, nights(good))
    assert play(bench, 2, nights(zero)) == Counts(received=1, changed=1)
    found = only(bench)
    assert found["data"] == {**good, "awake": 0.4}
    assert found["derived"]["total_h"] == 7


# Fates


@pytest.mark.scenario("records", "Each element has one fate")
def test_each_element_has_one_fate(bench: Bench) -> None:
    play(bench, 5, workouts(workout(1, a=1), workout(2, a=1)))
    content = workouts(workout(1, a=1), workout(2, a=2), workout(3), {"name": "X"}, workout(3))
    account = bench.play(delivery(6, content, None), content)
    assert account.counts == Counts(received=5, new=1, same=2, changed=1, rejected=1)
    assert (account.status, account.uncovered) == (PARTIAL, ("workouts",))
    assert reasons(account.rejected) == {"workouts[3]": "no_identity"}
    assert play(bench, 1, workouts(workout(2, a=1))) == Counts(received=1, outdated=1)


def test_what_a_lower_rank_alone_tells_changes_a_record(bench: Bench) -> None:
    play(bench, 2, workouts(workout(a=1)))
    assert play(bench, 1, workouts(workout(b=1))) == Counts(received=1, changed=1)
    assert only(bench)["data"] == workout(a=1, b=1)


def test_an_imported_word_counts_as_of_when_it_was_said(bench: Bench) -> None:
    play(bench, 5, workouts(workout(a=1)))
    said_at_us = delivery(0, b"", None).said_at_us
    old = workouts(workout(a=2))
    assert play(bench, 6, old, imported=True, said_at_us=said_at_us).outdated == 1
    assert only(bench)["data"]["a"] == 1


@pytest.mark.scenario("records", "Another spelling is the same statement")
def test_another_spelling_is_the_same_statement(bench: Bench) -> None:
    span = ("2026-05-03 22:00:00 +0200", "2026-05-04 06:00:00 +0200")
    moved = ("2026-05-03 16:00:00 -0400", "2026-05-04 00:00:00 -0400")
    play(bench, 1, nights(night(*span, source="Watch|iPhone")))
    assert play(bench, 2, nights(night(*moved, source="iPhone|Watch"))) == Counts(1, same=1)
    found = only(bench)
    assert (found["start"], found["day"]) == ("2026-05-03T22:00:00+02:00", "2026-05-04")
    assert found["data"]["source"] == "iPhone|Watch"


@pytest.mark.scenario("records", "A record moved to another day is changed")
def test_a_record_moved_to_another_day_is_changed(bench: Bench) -> None:
    moved = "2026-05-31 20:00:00 -0400"
    symptom = {"name": "Fatiga", "start": moved}
    play(bench, 2, sections(symptoms=[symptom, {"name": "Tos", "start": "2026-05-20T08:00:00Z"}]))
    assert listed(bench, "symptom")[1]["day"] == "2026-05-31"
    earlier = sections(symptoms=[{**symptom, "start": MORNING}])
    assert play(bench, 1, earlier) == Counts(received=1, changed=1)
    found = listed(bench, "symptom")[1]
    assert (found["day"], found["start"]) == ("2026-06-01", "2026-06-01T02:00:00+02:00")
    assert found["data"]["start"] == moved
    [number] = rows(bench, "SELECT delivery FROM folded ORDER BY delivery_id LIMIT 1")
    assert rows(bench, "SELECT changed_by FROM record WHERE key LIKE '%Fatiga'") == [number]


def test_a_record_that_stays_on_its_day_is_not(bench: Bench) -> None:
    symptom = {"name": "Fatiga", "start": "2026-06-01 10:00:00 +0200"}
    play(bench, 2, sections(symptoms=[symptom]))
    earlier = sections(symptoms=[{**symptom, "start": "2026-06-01 09:00:00 +0100"}])
    assert play(bench, 1, earlier) == Counts(received=1, same=1)


# The clock


@pytest.mark.scenario("records", "Records name the clock")
def test_records_name_the_clock(bench: Bench) -> None:
    play(bench, 1, workouts(workout()))
    said = rows(bench, "SELECT quarter * 900000, offset_min FROM quarter ORDER BY quarter")
    assert said == [(1_780_308_000_000, 120), (1_780_309_800_000, 120)]
    mood = {"id": "A", "start": "2026-06-01T22:30:00Z", "end": "2026-06-01T22:30:00Z"}
    play(bench, 2, sections(stateOfMind=[mood]))
    found = only(bench, "state_of_mind")
    assert (found["start"], found["day"]) == ("2026-06-02T00:30:00+02:00", "2026-06-02")


def test_times_inside_a_record_name_nothing(bench: Bench) -> None:
    inside = {"inBedStart": "2026-05-03 21:00:00 +0200", "date": "2026-05-03 12:00:00 +0200"}
    span = ("2026-05-03T20:00:00Z", "2026-05-04T04:00:00Z")
    play(bench, 1, nights(night(*span, **inside, list=LONG)))
    assert rows(bench, "SELECT * FROM quarter") == []


@pytest.mark.parametrize("first", ["metrics", "workouts"])
def test_the_first_place_in_a_body_names_a_quarter(bench: Bench, first: str) -> None:
    here, there = "2026-06-01 12:00:00 +0200", "2026-06-01 11:00:00 +0100"
    steps = [metric("step_count", point(here if first == "metrics" else there))]
    walks = [workout(start=there if first == "metrics" else here, end=None)]
    whole = {"metrics": steps, "workouts": walks}
    order = sorted(whole, key=lambda name: name != first)
    content = sections(**{name: whole[name] for name in order})
    bench.fold(content, DEFAULT)
    assert rows(bench, "SELECT offset_min FROM quarter") == [(120,)]


def test_of_two_words_in_one_quarter_the_start_names_it(bench: Bench) -> None:
    play(bench, 1, workouts(workout(end="2026-06-01 11:05:00 +0100")))
    assert rows(bench, "SELECT offset_min FROM quarter") == [(120,)]


# What is kept


def test_long_fields_are_kept_compressed(bench: Bench) -> None:
    route = [{"timestamp": f"2026-06-01 12:{n % 60:02}:00 +0200", "n": n} for n in range(3_000)]
    play(bench, 1, workouts(workout(route=route)))
    [(kind, size, length)] = rows(
        bench, "SELECT typeof(value), length(value), length FROM field WHERE name = 'route'"
    )
    assert (kind, length) == ("blob", 3_000)
    assert size < 60_000
    assert only(bench)["data"]["route"] == route


@pytest.mark.scenario("records", "Whole record as sent is kept")
def test_the_whole_record_as_sent_is_kept(bench: Bench) -> None:
    more: dict[str, Any] = {"": 1, "Größe": "½", "x" * 300: True}
    odd = workout(news={"a": [1.5, {"b": None}]}, **more)
    play(bench, 1, workouts(odd))
    assert only(bench)["data"] == odd


@pytest.mark.scenario("records", "Whole record as sent is kept")
def test_numbers_that_are_not_finite_are_null(bench: Bench) -> None:
    text = '{"data":{"workouts":[{"id":"A","a":NaN,"b":{"c":-Infinity,"d":1e999,"e":2}}]}}'
    play(bench, 1, text.encode())
    assert only(bench)["data"] == {"id": "A", "b": {"c": None, "d": None, "e": 2}}


def test_a_record_without_any_time_stands_before_all_others(bench: Bench) -> None:
    play(bench, 1, workouts(workout(), {"id": "A"}))
    assert [one["key"] for one in listed(bench)] == ["A", workout()["id"]]
    assert listed(bench)[0].keys() == {"kind", "key", "data", "derived", "flags", "delivery_ids"}


def test_start_and_end_follow_the_fields(bench: Bench) -> None:
    play(bench, 1, workouts(workout()))
    play(bench, 2, workouts(workout(start="2026-06-01 12:45:00 +0200", end=None)))
    found = only(bench)
    assert found["start"] == "2026-06-01T12:45:00+02:00"
    assert found["flags"] == ["ends_before_start"]


def test_an_equal_word_of_higher_rank_is_whose_word_it_is(bench: Bench) -> None:
    for number in (2, 3, 1):
        play(bench, number, workouts(workout()))
    assert only(bench)["delivery_ids"] == [delivery_id(3)]


def test_records_are_counted_by_kind(bench: Bench) -> None:
    content = sections(workouts=[workout(1), workout(2)], ecg=[{"start": MORNING}], symptoms=[{}])
    play(bench, 1, content)
    assert bench.mart.read(record_rows.counts) == {"workout": 2, "ecg": 1}


# Around the fold


@pytest.mark.parametrize("look", [1, 2, 3])
def test_a_fold_that_breaks_leaves_nothing(bench: Bench, look: int) -> None:
    play(bench, 1, workouts(workout(1)))
    before, whole = bench.digest(), stored(bench)
    content = workouts(workout(1, a=1), workout(2), workout(3))
    one = delivery(9, content, None)
    looks = 0

    def check() -> None:
        nonlocal looks
        looks += 1
        if looks == look:
            raise Overdue("too long")

    with pytest.raises(Overdue):
        bench.merge(one, planned(one, content), check)
    assert (bench.digest(), stored(bench)) == (before, whole)
    assert play(bench, 9, content) == Counts(received=3, new=2, changed=1)


def test_a_refold_gives_back_the_stored_account(bench: Bench) -> None:
    content = workouts(workout(1), {}, workout(2))
    one = delivery(1, content, None)
    account = bench.play(one, content)
    play(bench, 2, workouts(workout(1, a=1)))
    before = bench.digest()
    assert bench.play(one, content) == account
    assert bench.digest() == before


def test_records_need_no_layer(bench: Bench) -> None:
    account = bench.fold(nights(segment(MORNING, "2026-06-01 03:00:00 +0200")), None)
    assert (account.layer, account.layer_origin, account.counts.new) == (None, None, 1)


def test_beside_records_points_of_unknown_layer_are_rejected(bench: Bench) -> None:
    content = body(metric("vo2_max", point("2026-06-01 00:00:00 +0200")), workouts=[workout()])
    account = bench.fold(content, None)
    assert account.counts == Counts(received=2, new=1, rejected=1)
    assert account.uncovered == ("metrics.vo2_max",)
