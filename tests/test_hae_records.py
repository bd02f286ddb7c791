"""Sections that are no metrics: what is taken of them, what is rejected, what is counted."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import pytest

from healthlog.base.errors import Refusal
from healthlog.hae.envelope import SECTIONS, Malformed
from healthlog.hae.parse import METRICS, RECORDS, parse
from tests.support.counting import elements
from tests.support.folding import body, metric, point
from tests.support.records import (
    nights,
    parsed,
    rejected,
    sections,
    segment,
    word,
    workout,
)

NOON, ONE = 1_780_308_000_000, 1_780_311_600_000
WORKOUT = workout()


def test_every_known_section_has_a_reader() -> None:
    assert {*RECORDS, METRICS} == set(SECTIONS)


def test_an_element_becomes_a_word() -> None:
    found = word(sections(workouts=[{**WORKOUT, "route": [{"timestamp": 1}, {"timestamp": 2}]}]))
    assert (found.kind, found.key) == ("workout", WORKOUT["id"])
    assert (found.start_ms, found.end_ms) == (NOON, NOON + 1_800_000)
    assert found.named == ((NOON, 120), (NOON + 1_800_000, 120))
    assert found.fields["name"] == '"Walking"'
    assert found.series == {"route": 2}


def test_unknown_fields_are_kept_whole() -> None:
    news = {"deep": [1, {"er": None}], "blank": ""}
    found = word(sections(workouts=[{**WORKOUT, "news": news}]))
    assert json.loads(found.fields["news"]) == news


def test_what_says_nothing_is_left_out_and_zero_is_not_nothing() -> None:
    empty: dict[str, object] = {
        "a": None,
        "b": "",
        "c": " ",
        "d": [],
        "e": {},
        "f": math.nan,
        "g": 10**400,
    }
    full = {"h": 0, "i": False, "j": [None], "k": {"l": None}}
    found = word(sections(workouts=[{**WORKOUT, **empty, **full}]))
    assert found.fields.keys() == WORKOUT.keys() | full.keys()


def test_a_time_in_z_names_no_offset() -> None:
    found = word(sections(workouts=[{**WORKOUT, "start": "2026-06-01T10:00:00Z"}]))
    assert found.start_ms == NOON
    assert found.named == ((NOON + 1_800_000, 120),)


@pytest.mark.scenario("records", "Unreadable date that is no identity is left unread")
@pytest.mark.parametrize("nothing", ["yesterday", 5, [], {"a": 1}, "2026-06-01", "24:61"])
def test_an_unreadable_date_that_is_no_identity_is_left_unread(nothing: object) -> None:
    found = word(sections(workouts=[{**WORKOUT, "start": nothing, "end": nothing}]))
    assert (found.start_ms, found.end_ms, found.named) == (None, None, ())


@pytest.mark.parametrize("name", sorted(RECORDS))
@pytest.mark.parametrize("value", [5, "x", {"id": "A"}, True])
def test_a_section_that_is_no_list_is_one_rejected_element(name: str, value: object) -> None:
    found = parsed(sections(**{name: value}))
    assert rejected(found) == {name: "not_an_object"}
    assert (found.metrics.received, found.metrics.rejections.sections) == (1, {name})


@pytest.mark.parametrize("value", [5, "x", {"sleepStart": "A"}, True])
def test_nights_that_are_no_list_are_one_rejected_element(value: object) -> None:
    found = parsed(sections(metrics=[{"name": "Sleep_Analysis", "data": value}]))
    assert rejected(found) == {"metrics.Sleep_Analysis": "not_an_object"}


@pytest.mark.parametrize("name", sorted(RECORDS))
def test_an_element_that_is_no_record_is_rejected_alone(name: str) -> None:
    found = parsed(sections(**{name: [None, 5, {}, [{}], "x"]}))
    assert rejected(found) == {
        f"{name}[0]": "not_an_object",
        f"{name}[1]": "not_an_object",
        f"{name}[2]": "no_identity",
        f"{name}[3]": "not_an_object",
        f"{name}[4]": "not_an_object",
    }
    assert found.metrics.received == 5


def test_good_neighbours_of_a_bad_element_are_taken() -> None:
    found = parsed(sections(workouts=[5, WORKOUT, {}]))
    assert [one.key for one in found.records] == [WORKOUT["id"]]


@pytest.mark.scenario("records", "Impossible span is rejected")
@pytest.mark.parametrize(
    ("dates", "reason"),
    [
        ({"start": "2026-06-02 10:00:00 +0200", "end": None}, None),
        ({"start": "2026-06-02 12:00:01 +0200", "end": None}, "future"),
        ({"start": None, "end": "2026-06-02T10:00:01Z"}, "future"),
        ({"start": "1899-12-31 23:59:59 +0000"}, "before_1900"),
        ({"start": "2026-06-01 12:30:01 +0200"}, "ends_before_start"),
        ({"end": "2026-06-01 12:00:00 +0200"}, None),
    ],
)
def test_a_span_that_cannot_be_is_rejected(dates: dict[str, object], reason: str | None) -> None:
    found = parsed(sections(workouts=[{**WORKOUT, **dates}]), latest_ms=NOON + 86_400_000)
    assert rejected(found) == ({} if reason is None else {"workouts[0]": reason})


def test_places_run_on_where_a_section_comes_twice() -> None:
    content = json.dumps({"data": {"ecg": [{}, 5]}, "ecg": [{}]}).encode()
    assert list(rejected(parsed(content))) == ["ecg[0]", "ecg[1]", "ecg[2]"]
    twice = [{"name": "sleep_analysis", "data": [{}]}, {"name": "sleep_analysis", "data": [{}]}]
    found = parsed(sections(metrics=twice))
    assert list(rejected(found)) == ["metrics.sleep_analysis[0]", "metrics.sleep_analysis[1]"]


def test_words_stand_in_the_order_of_the_body() -> None:
    step = metric("step_count", point("2026-06-01 12:00:00 +0200"))
    night = json.loads(nights(segment("2026-06-01T10:00:00Z", "2026-06-01T11:00:00Z")))
    content = body(
        step, night["data"]["metrics"][0], metric("x", point("2026-06-01")), workouts=[WORKOUT]
    )
    found = parsed(content)
    blocks = [metric.blocks[0].ordinal for metric in found.metrics.by_name.values()]
    assert (blocks, [ordinal for ordinal, _ in found.named]) == ([0, 2], [1, 3])
    assert [one.kind for one in found.records] == ["sleep", "workout"]


def test_nesting_is_bounded_in_records_too() -> None:
    deep: object = 1
    for _ in range(150):
        deep = [deep]
    for content in (sections(ecg=[{"a": deep}]), nights({"a": deep})):
        with pytest.raises(Malformed):
            parsed(content)


def test_reading_can_be_ended_from_outside() -> None:
    looks = 0

    def check() -> None:
        nonlocal looks
        looks += 1
        if looks == 5:
            raise Refusal

    with pytest.raises(Refusal):
        parse(sections(workouts=[WORKOUT] * 10), None, check)


def test_random_bodies_are_counted_twice_alike() -> None:
    chance = random.Random(5)
    for _ in range(300):
        content = json.dumps(_random_body(chance)).encode()
        found = parsed(content)
        taken = len(found.records) + len(found.metrics.rejections.listed)
        assert found.metrics.received == elements(content) == taken


def _random_body(chance: random.Random) -> Any:
    things: list[Any] = [None, 5, "", "x", [], {}, [5], {"start": "2026-06-01T10:00:00Z"}, WORKOUT]

    def section() -> Any:
        return chance.choice(things) if chance.random() < 0.2 else chance.choices(things, k=4)

    names = chance.sample(sorted(RECORDS), k=3)
    sleep = {"name": "sleep_analysis", "data": section()}
    whole = {name: section() for name in names}
    if chance.random() < 0.3:
        return {**whole, "metrics": [sleep]}
    return {"data": {"metrics": [sleep], **whole}, names[0]: section()}
