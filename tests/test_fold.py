"""One body into the mart: what is taken of it, and what is left."""

from __future__ import annotations

import math
from typing import Any

import pytest

from healthlog.hae.envelope import Malformed
from healthlog.model import PARSED, PARTIAL, Counts
from healthlog.planning import hear, plan
from tests.support.folding import (
    DAYS,
    DEFAULT,
    HOURS,
    MINUTES,
    Bench,
    body,
    case,
    delivery,
    metric,
    no_check,
    point,
)

MIDNIGHT = "2026-05-03 00:00:00 +0200"


@pytest.mark.scenario("fold", "Body without a data wrapper is taken")
def test_a_body_without_a_data_wrapper_is_taken(bench: Bench) -> None:
    account = bench.fold(case("43_bare_without_data.json"), DAYS)
    found = bench.only("step_count", "day")
    assert (found.at, found.qty) == ("2026-05-06T00:00:00+02:00", 6)
    assert account.status == PARSED


@pytest.mark.scenario("fold", "Empty delivery is parsed")
@pytest.mark.parametrize(
    "content",
    [b'{"data":{}}', b'{"data":[]}', b'{"data":null}', case("15_empty_metrics.json")],
    ids=["object", "list", "null", "metrics"],
)
def test_an_empty_delivery_is_parsed(bench: Bench, content: bytes) -> None:
    bench.fold(case("01_days_plain.json"))
    before = bench.points()
    account = bench.fold(content, None)
    assert (account.status, account.counts) == (PARSED, Counts())
    assert bench.points() == before


@pytest.mark.scenario("fold", "Unreadable envelope is malformed")
@pytest.mark.parametrize(
    "content",
    [
        b'{"data":"text"}',
        b'{"data":{"metrics":[{"name":"\\ud800","data":[]}]}}',
        b'{"data":{"metrics":[' + b"1" * 10_000 + b"]}}",
        b'{"data":{"metrics":' + b"[" * 100_000 + b"]" * 100_000 + b"}}",
    ],
    ids=["text", "surrogate", "digits", "nesting"],
)
def test_an_unreadable_envelope_is_malformed(bench: Bench, content: bytes) -> None:
    with pytest.raises(Malformed):
        bench.fold(content)


@pytest.mark.scenario("fold", "Sections beside metrics are uncovered")
@pytest.mark.scenario("storage", "Uncovered section makes the delivery partial")
def test_an_unknown_section_is_uncovered(bench: Bench) -> None:
    account = bench.fold(case("40_unknown_section.json"))
    assert (account.status, account.uncovered) == (PARTIAL, ("clinicalNotes",))
    assert bench.only("step_count", "day").qty == 5


@pytest.mark.scenario("fold", "Sections beside metrics are uncovered")
def test_empty_sections_are_not_named(bench: Bench) -> None:
    account = bench.fold(case("17_old_combined_envelope.json"))
    assert (account.status, account.uncovered) == (PARSED, ())
    assert bench.only().qty == 12


@pytest.mark.scenario("fold", "Sections beside metrics are uncovered")
def test_what_was_rejected_of_a_section_is_named_as_sent(bench: Bench) -> None:
    night = metric("Sleep_Analysis", {"sleepStart": MIDNIGHT})
    account = bench.fold(body(metric("step_count", point(MIDNIGHT)), night))
    assert account.uncovered == ("metrics.Sleep_Analysis",)
    assert account.counts == Counts(received=2, new=1, rejected=1)


@pytest.mark.scenario("storage", "Uncovered section makes the delivery partial")
def test_the_points_beside_an_unknown_section_are_stored(bench: Bench) -> None:
    points = (point(MIDNIGHT), point("2026-05-04 00:00:00 +0200"))
    account = bench.fold(body(metric("step_count", *points), news=[{"a": 1}]))
    assert (account.status, account.uncovered) == (PARTIAL, ("news",))
    assert len(bench.points()) == 2


@pytest.mark.scenario("storage", "Wholly covered delivery is parsed")
def test_a_wholly_covered_delivery_is_parsed(bench: Bench) -> None:
    account = bench.fold(case("01_days_plain.json"))
    assert (account.status, account.uncovered) == (PARSED, ())
    assert [p.qty for p in bench.points("step_count", "day")] == [8123, 6044]
    assert {p.sources for p in bench.points()} == {("Watch", "iPhone")}


@pytest.mark.scenario("fold", "Readings keep what was sent and no more")
def test_a_range_without_an_average_has_none(bench: Bench) -> None:
    bench.fold(case("09_range_for_discrete.json"))
    found = bench.only("heart_rate")
    assert (found.min, found.max, found.avg, found.qty) == (48, 165, None, None)
    assert bench.only("resting_heart_rate")[5:9] == (None, 51, 53.5, 57)


@pytest.mark.scenario("fold", "Readings keep what was sent and no more")
def test_an_unknown_metric_keeps_what_it_has(bench: Bench) -> None:
    bench.fold(case("20_unknown_metric_no_units.json"))
    found = bench.only("moonlight_exposure")
    assert (found.qty, found.unit, found.extra) == (4, None, {"mystery": {"a": 1}})
    assert found.layer == "raw"


@pytest.mark.scenario("fold", "Readings keep what was sent and no more")
def test_blood_pressure_has_its_two_numbers_and_no_quantity(bench: Bench) -> None:
    pressure = {"date": "2026-05-03 07:10:00 +0200", "systolic": 121, "diastolic": 79}
    account = bench.fold(body(metric("blood_pressure", pressure, units="mmHg")))
    found = bench.only("blood_pressure")
    assert (found.qty, found.extra) == (None, {"systolic": 121, "diastolic": 79})
    assert (account.status, found.unit) == (PARSED, "mmHg")


@pytest.mark.scenario("fold", "Other spellings are the same reading")
def test_other_spellings_are_the_same_reading(bench: Bench) -> None:
    bench.fold(body(metric("vo2_max", point(MIDNIGHT, 5, source="A|B"))))
    account = bench.fold(body(metric(" VO2Max", point(MIDNIGHT, 5.0, source="B|A"))))
    assert account.counts == Counts(received=1, same=1)
    assert bench.only().metric == "vo2_max"
    assert bench.only().sources == ("A", "B")


@pytest.mark.scenario("fold", "Other spellings are the same reading")
@pytest.mark.parametrize(("one", "other"), [("0", "-0.0"), ("100", "1e2"), ("0.1", "0.10")])
def test_other_spellings_of_a_number_are_equal(bench: Bench, one: str, other: str) -> None:
    text = body(metric("step_count", point(MIDNIGHT, 424242))).decode()
    bench.fold(text.replace("424242", one).encode())
    assert bench.fold(text.replace("424242", other).encode()).counts.same == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"source": None}, {"source": ""}),
        ({"source": "My\u00a0Watch|B"}, {"source": "B|My Watch |B"}),
        ({"note": None, "list": []}, {}),
        ({"a": {"b": 1.0, "c": ""}}, {"a": {"c": None, "b": 1}}),
    ],
)
def test_what_says_the_same_is_the_same(bench: Bench, one: Any, other: Any) -> None:
    bench.fold(body(metric("step_count", point(MIDNIGHT, **one))))
    assert bench.fold(body(metric("step_count", point(MIDNIGHT, **other)))).counts.same == 1


@pytest.mark.parametrize(
    "other", [{"source": "B"}, {"note": "x"}, {"end": "2026-05-03 01:00:00 +0200"}, {"Max": 2}]
)
@pytest.mark.parametrize("layer", [DAYS, HOURS, MINUTES])
def test_what_says_anything_else_is_not(bench: Bench, other: Any, layer: str) -> None:
    bench.fold(body(metric("step_count", point(MIDNIGHT, source="A"))), layer)
    changed = body(metric("step_count", point(MIDNIGHT, **{"source": "A", **other})))
    assert bench.fold(changed, layer).counts.changed == 1


def test_another_unit_is_another_reading(bench: Bench) -> None:
    bench.fold(body(metric("active_energy", point(MIDNIGHT), units="kcal")))
    account = bench.fold(body(metric("active_energy", point(MIDNIGHT), units="kJ")))
    assert account.counts.changed == 1
    assert bench.only().unit == "kJ"


def test_nan_in_another_field_leaves_the_number(bench: Bench) -> None:
    content = body(metric("step_count", point(MIDNIGHT, 5, note=math.nan, other=1)))
    assert bench.fold(content).status == PARSED
    assert (bench.only().qty, bench.only().extra) == (5, {"other": 1})


@pytest.mark.scenario("fold", "Times as sent become instants")
def test_times_as_sent_become_instants(bench: Bench) -> None:
    bench.fold(case("11_time_12h_nnbsp.json"), MINUTES)
    assert [found.at for found in bench.points("active_energy", "minute")] == [
        "2026-05-03T00:05:00+10:00",
        "2026-05-03T07:57:00+10:00",
        "2026-05-03T12:05:00+10:00",
    ]


@pytest.mark.scenario("fold", "Times as sent become instants")
def test_the_hour_told_twice_in_autumn_is_two(bench: Bench) -> None:
    bench.fold(case("12_dst_autumn.json"), HOURS)
    first, second = bench.points("step_count", "hour")
    assert (first.at, second.at) == ("2026-10-25T02:00:00+02:00", "2026-10-25T02:00:00+01:00")
    assert first.day == second.day == 20_751  # 2026-10-25


@pytest.mark.scenario("fold", "Day bucket off midnight counts for the nearest date")
def test_a_day_bucket_off_midnight_counts_for_the_nearest_date(bench: Bench) -> None:
    bench.fold(body(metric("step_count", point("2026-10-24 23:00:00 +0100"))))
    assert bench.only().day == 20_751


def test_a_date_alone_stands_beside_timed_days(bench: Bench) -> None:
    account = bench.fold(body(metric("step_count", point(MIDNIGHT, 1), point("2026-05-03", 2))))
    assert account.counts == Counts(received=2, new=2)
    assert {(found.at, found.qty) for found in bench.points()} == {
        ("2026-05-03T00:00:00+02:00", 1),
        (None, 2),
    }


@pytest.mark.parametrize("name", ["sent \x00 as", "\U0001f600", "a'b\"c", "x" * 5_000])
def test_any_text_will_do_for_names_and_sources(bench: Bench, name: str) -> None:
    content = body(metric(name, point(MIDNIGHT, source=name, note=name), units=name))
    bench.fold(content, DEFAULT)
    found = bench.only(name)
    assert (found.sources, found.unit, found.extra) == ((name,), name, {"note": name})
    assert bench.fold(content, DEFAULT).counts.same == 1


def test_a_plan_can_be_made_again_of_what_was_heard() -> None:
    content = body(metric("step_count", point("2026-05-03"), point("2026-05-03 07:00:00 +0200")))
    heard = hear(delivery(1, content, MINUTES), content, no_check)
    assert plan(heard, lambda: None) == plan(heard, lambda: None)
