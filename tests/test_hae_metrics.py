"""The section `metrics`: metric objects to blocks of readings."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from healthlog.base.errors import Refusal
from healthlog.hae.metrics import Metrics, MetricsReader
from healthlog.hae.parse import parse
from tests.support.counting import elements
from tests.support.folding import CASES, body, case, metric, no_check, point

GOOD = point("2026-05-03 07:00:00 +0200")
LATER = point("2026-05-03 08:00:00 +0200")
BAD: dict[str, object] = {"qty": 1}


def no_nights(sent_as: str, unit: str | None, data: object) -> None:
    """Nights of which nobody wants to know."""


def read(*sections: object) -> Metrics:
    reader = MetricsReader(None, no_check, no_nights)
    for section in sections:
        reader.section(section)
    return reader.found


def rejected(found: Metrics) -> list[tuple[str, str]]:
    return [(one.where, one.reason) for one in found.rejections.listed]


def test_a_metric_has_its_name_unit_and_readings() -> None:
    found = read([metric(" Step_Count ", GOOD, LATER, units=" count\u00a0")])
    assert list(found.by_name) == ["step_count"]
    [block] = found.by_name["step_count"].blocks
    assert (block.sent_as, block.unit, list(block.places)) == (" Step_Count ", "count", [0, 1])
    assert (found.received, rejected(found)) == (2, [])


@pytest.mark.parametrize("units", [None, "", " ", 5, ["count"], {"unit": "count"}])
def test_units_that_are_no_words_are_none(units: object) -> None:
    [block] = read([metric("step_count", GOOD, units=units)]).by_name["step_count"].blocks
    assert block.unit is None


def test_units_may_be_missing() -> None:
    [block] = read([{"name": "x", "data": [GOOD]}]).by_name["x"].blocks
    assert block.unit is None


@pytest.mark.parametrize("data", [[], None, {}, "", " "])
def test_a_metric_without_data_says_nothing(data: object) -> None:
    found = read([{"name": "step_count", "data": data}, {"name": "heart_rate"}])
    assert (found.by_name, found.received, rejected(found)) == ({}, 0, [])


def test_a_metric_named_twice_is_appended() -> None:
    found = read(
        [
            metric("step_count", GOOD, BAD),
            metric("heart_rate", GOOD),
            metric("step_count", BAD, LATER, units="steps"),
        ]
    )
    first, second = found.by_name["step_count"].blocks
    [between] = found.by_name["heart_rate"].blocks
    assert (list(first.places), list(second.places)) == ([0], [3])
    assert (first.unit, second.unit) == ("count", "steps")
    assert first.ordinal < between.ordinal < second.ordinal
    assert rejected(found) == [
        ("metrics.step_count[1]", "no_date"),
        ("metrics.step_count[2]", "no_date"),
    ]


def test_two_spellings_in_one_body_are_one_metric_under_both_names() -> None:
    found = read([metric("vo2_max", GOOD, BAD), metric("VO2Max", BAD, LATER)])
    assert list(found.by_name) == ["vo2_max"]
    assert rejected(found) == [("metrics.vo2_max[1]", "no_date"), ("metrics.VO2Max[2]", "no_date")]
    assert found.rejections.sections == {"metrics.vo2_max", "metrics.VO2Max"}


def test_the_section_may_come_twice() -> None:
    found = read([metric("step_count", GOOD)], [metric("step_count", LATER)])
    assert len(found.by_name["step_count"].blocks) == 2
    assert found.received == 2


@pytest.mark.parametrize("section", [{"name": "step_count"}, "metrics", 5, True])
def test_a_section_that_is_no_list_is_one_rejected_element(section: object) -> None:
    found = read(section)
    assert (found.received, rejected(found)) == (1, [("metrics", "not_an_object")])
    assert found.rejections.sections == {"metrics"}


@pytest.mark.parametrize("element", [None, 5, "step_count", [], [metric("step_count", GOOD)]])
def test_a_metric_that_is_no_object_is_one_rejected_element(element: object) -> None:
    found = read([metric("step_count", GOOD), element])
    assert (found.received, rejected(found)) == (2, [("metrics[1]", "not_an_object")])
    assert found.rejections.sections == {"metrics"}


@pytest.mark.parametrize("data", [5, "points", {"date": "x"}, True])
def test_data_that_are_no_list_are_one_rejected_element(data: object) -> None:
    found = read([{"name": "Step_Count", "data": data}])
    assert (found.received, rejected(found)) == (1, [("metrics.Step_Count", "not_an_object")])
    assert found.by_name == {}


@pytest.mark.parametrize("name", [None, "", " \u00a0", 5, ["step_count"]])
def test_the_points_of_a_metric_without_name_are_rejected(name: object) -> None:
    found = read([metric("x", GOOD), {"name": name, "data": [GOOD, 5]}])
    assert found.received == 3
    assert rejected(found) == [
        ("metrics[1].data[0]", "no_identity"),
        ("metrics[1].data[1]", "no_identity"),
    ]
    assert found.rejections.sections == {"metrics"}


@pytest.mark.parametrize("data", [None, 5, {}, "x"])
def test_without_name_or_list_it_is_one_rejected_element(data: object) -> None:
    found = read([{"data": data}])
    assert (found.received, rejected(found)) == (1, [("metrics[0]", "no_identity")])


def test_without_name_or_points_there_is_nothing() -> None:
    assert read([{"data": []}]).received == 0


@pytest.mark.parametrize("name", ["sleep_analysis", " Sleep_Analysis"])
def test_nights_are_left_to_another_reader(name: str) -> None:
    left: list[tuple[str, str | None, object]] = []
    reader = MetricsReader(None, no_check, lambda *metric: left.append(metric))
    reader.section([metric(name, GOOD, 5, units=" hr"), metric("sleep_analysis")])
    assert (reader.found.received, reader.found.by_name) == (0, {})
    assert left == [(name, "hr", [GOOD, 5])]


def test_an_element_that_is_no_object_is_rejected_alone() -> None:
    found = read([metric("step_count", None, GOOD, [GOOD], 5)])
    assert found.received == 4
    assert list(found.by_name["step_count"].blocks[0].places) == [1]
    assert {why for _, why in rejected(found)} == {"not_an_object"}


def test_numbers_of_a_metric_may_stand_in_fields_of_their_own() -> None:
    pressure = {"date": GOOD["date"], "systolic": 121, "diastolic": 79}
    found = read([metric("Blood_Pressure", pressure, GOOD, {**pressure, "systolic": "high"})])
    [block] = found.by_name["blood_pressure"].blocks
    assert list(block.readings.extra) == [
        '{"diastolic":79,"systolic":121}', "", '{"diastolic":79,"systolic":"high"}'
    ]  # fmt: skip


def test_many_elements_keep_their_places_whatever_stands_among_them() -> None:
    data: list[object] = [point("2026-05-03 07:00:00 +0200", n) for n in range(3_500)]
    data[1_234] = BAD
    [block] = read([metric("step_count", *data)]).by_name["step_count"].blocks
    assert list(block.places) == [n for n in range(3_500) if n != 1_234]
    assert [*block.readings.qty] == [n for n in range(3_500) if n != 1_234]


def test_reading_can_be_ended_from_outside() -> None:
    looks = 0

    def check() -> None:
        nonlocal looks
        looks += 1
        if looks == 3:
            raise Refusal

    with pytest.raises(Refusal):
        MetricsReader(None, check, no_nights).section([metric("x", *[GOOD] * 5_000)])


def test_what_no_reader_takes_is_named() -> None:
    found = parse(body(metric("x", GOOD), workouts=[{}], news={"a": 1}, ecg=[]), None, no_check)
    assert found.unread == {"news"}
    assert found.metrics.received == 2


@pytest.mark.parametrize("name", sorted(path.name for path in CASES.glob("*.json")))
def test_what_is_received_is_an_independent_count_of_the_body(name: str) -> None:
    if name.startswith("42"):
        with pytest.raises(Refusal):
            parse(case(name), None, no_check)
    else:
        assert parse(case(name), None, no_check).metrics.received == elements(case(name))


def test_what_is_received_is_an_independent_count_of_random_bodies() -> None:
    chance = random.Random(3)
    for _ in range(300):
        content = json.dumps(_random_body(chance)).encode()
        parsed = parse(content, None, no_check)
        found = parsed.metrics
        kept = sum(map(len, (b for m in found.by_name.values() for b in m.blocks)))
        assert found.received == elements(content)
        assert found.received == kept + len(parsed.records) + len(found.rejections.listed)


def _random_body(chance: random.Random) -> Any:
    things: list[Any] = [None, 5, "", " ", "x", [], {}, [5], {"a": 1}, True]
    elements_: list[Any] = [GOOD, LATER, BAD, {**GOOD, "qty": "x"}, *things]

    def one_metric() -> Any:
        if chance.random() < 0.1:
            return chance.choice(things)
        name = chance.choice(["step_count", "vo2_max", "VO2Max", "sleep_analysis", "", None, 5])
        data = chance.choice(things)
        if chance.random() < 0.8:
            data = chance.choices(elements_, k=chance.randint(0, 5))
        return {"name": name, "data": data, "units": chance.choice(things)}

    def section() -> Any:
        if chance.random() < 0.1:
            return chance.choice(things)
        return [one_metric() for _ in range(chance.randint(0, 4))]

    shape = chance.random()
    if shape < 0.2:
        return {"metrics": section(), "news": [1]}
    if shape < 0.4:
        return {"data": {"metrics": section()}, "metrics": section()}
    return {"data": {"metrics": section()}}
