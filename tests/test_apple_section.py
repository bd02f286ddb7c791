"""Bodies of Apple's export through the fold, beside the live feed's."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from healthlog.apple.section import opened
from healthlog.hae.envelope import Malformed
from healthlog.model import Account
from healthlog.planning import hear, plan
from tests.support.apple import (
    END,
    QUANTITY,
    START,
    body,
    category,
    chunks,
    export,
    note,
    quantity,
    section,
    statistic,
    tag,
    workout,
)
from tests.support.folding import Bench, delivery, metric, no_check, open_bench, point
from tests.support.folding import body as live

DAY, NINE = "2026-05-03", "2026-05-03 09:00:00 +0200"


@pytest.fixture
def bench() -> Iterator[Bench]:
    with open_bench() as opened_bench:
        yield opened_bench


def fold(bench: Bench, *inside: str) -> Account:
    return bench.fold(body(*inside), None, automation_id=None)


def apple(*elements: object) -> bytes:
    return json.dumps({"data": {"appleHealth": {"elements": list(elements)}}}).encode()


@pytest.mark.scenario("import", "Layer of an export is sample")
def test_readings_stand_in_the_layer_of_samples(bench: Bench) -> None:
    account = fold(bench, quantity("StepCount", "12"))
    assert (account.layer, account.layer_origin, account.status) == ("sample", "declared", "parsed")
    reading = bench.only()
    assert (reading.metric, reading.layer, reading.qty) == ("step_count", "sample", 12)
    assert (reading.at, reading.unit) == ("2026-05-03T08:00:00+02:00", "count")
    assert reading.end_ms == 1_777_788_600_000
    assert (reading.sources, reading.origin) == (("Apple Watch",), (("Apple Watch",), None))


@pytest.mark.scenario("import", "Layer of an export is sample")
def test_a_header_can_t_declare_another_layer(bench: Bench) -> None:
    account = bench.fold(body(quantity("StepCount")), "Days", automation_id=None)
    assert (account.layer, bench.only().layer) == ("sample", "sample")


@pytest.mark.scenario("import", "History and live feed are one metric")
def test_history_and_live_feed_are_one_metric(bench: Bench) -> None:
    fold(bench, quantity("StepCount", "12"), quantity("OxygenSaturation", "0.97", unit="%"))
    bench.fold(
        live(
            metric("step_count", point(f"{DAY} 08:00:00 +0200", 12)),
            metric("blood_oxygen_saturation", point(f"{DAY} 08:00:00 +0200", 97), units="%"),
        ),
        "Minutes",
    )
    found = [(one.metric, one.layer, one.qty, one.unit) for one in bench.points()]
    assert found == [
        ("blood_oxygen_saturation", "minute", 97, "%"),
        ("blood_oxygen_saturation", "sample", 97, "%"),
        ("step_count", "minute", 12, "count"),
        ("step_count", "sample", 12, "count"),
    ]


@pytest.mark.scenario("import", "Sample told twice counts once")
def test_a_sample_that_is_there_twice_counts_once(bench: Bench) -> None:
    account = fold(bench, quantity("StepCount", "12"), quantity("StepCount", "12"))
    assert (account.counts.received, account.counts.new, account.counts.same) == (2, 1, 1)
    assert bench.only().qty == 12


def test_two_values_of_one_time_and_source_both_stay(bench: Bench) -> None:
    fold(bench, quantity("StepCount", "12"), quantity("StepCount", "13"))
    assert [one.qty for one in bench.points()] == [12, 13]


def test_samples_of_one_start_differ_by_their_end_and_their_source(bench: Bench) -> None:
    fold(
        bench,
        quantity("StepCount", "1"),
        quantity("StepCount", "2", end=START),
        quantity("StepCount", "3", source="iPhone"),
    )
    assert [one.qty for one in bench.points()] == [2, 1, 3]


def test_a_later_export_corrects_what_it_tells_otherwise(bench: Bench) -> None:
    early, late = 1_000_000_000_000_000, 1_100_000_000_000_000
    for said_at_us, value in ((late, "2"), (early, "1")):
        one = body(quantity("StepCount", value))
        bench.fold(one, None, automation_id=None, imported=True, said_at_us=said_at_us)
    assert bench.only().qty == 2


@pytest.mark.parametrize(
    ("start", "at", "day"),
    [
        ("2026-05-03 23:30:00 -0700", "2026-05-03T23:30:00-07:00", "2026-05-03"),
        ("2026-05-04 06:30:00 +0000", "2026-05-04T06:30:00+00:00", "2026-05-04"),
        ("2026-05-04 12:15:00 +0545", "2026-05-04T12:15:00+05:45", "2026-05-04"),
        ("2026-10-25 02:30:00 +0200", "2026-10-25T02:30:00+02:00", "2026-10-25"),
        ("2026-10-25 02:30:00 +0100", "2026-10-25T02:30:00+01:00", "2026-10-25"),
        ("2026-05-04 6:30:00\u202fAM +0000", "2026-05-04T06:30:00+00:00", "2026-05-04"),
    ],
)
@pytest.mark.scenario("import", "Days are those that were recorded")
def test_days_are_those_of_the_offset_that_was_told(
    bench: Bench, start: str, at: str, day: str
) -> None:
    fold(bench, quantity("StepCount", "1", start=start, end=start))
    reading = bench.only()
    assert reading.at == at
    assert at.startswith(day)


def test_what_is_noted_is_kept_beside_the_reading(bench: Bench) -> None:
    fold(bench, quantity("HeartRate", "60", note("HKWasUserEntered", 1), unit="count/min"))
    assert bench.only().extra == {"metadata": {"HKWasUserEntered": "1"}}


def test_blood_pressure_is_one_reading(bench: Bench) -> None:
    span = {"sourceName": "Cuff", "startDate": START, "endDate": START}
    inside = (
        quantity("BloodPressureSystolic", "120", unit="mmHg"),
        quantity("BloodPressureDiastolic", "80", unit="mmHg"),
    )
    kind = {"type": "HKCorrelationTypeIdentifierBloodPressure"}
    account = fold(bench, tag("Correlation", kind | span, *inside), *inside)
    assert account.counts.new == 3
    pair = bench.only("blood_pressure")
    assert (pair.extra, pair.unit) == ({"systolic": 120, "diastolic": 80}, "mmHg")
    assert bench.only("blood_pressure_systolic").qty == 120


@pytest.mark.scenario("import", "Bad element is rejected alone")
@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (quantity("StepCount", "many"), "no_number"),
        (quantity("StepCount", "nan"), "not_a_number"),
        (quantity("StepCount", "1", start="yesterday"), "unreadable_date"),
        (quantity("StepCount", "1", start="2099-01-01 00:00:00 +0000"), "future"),
        (quantity("StepCount", "1", start="1800-01-01 00:00:00 +0000"), "before_1900"),
        (quantity("StepCount", "1", end="2026-05-03 07:00:00 +0200"), "ends_before_start"),
        (tag("Record", {"type": QUANTITY + "StepCount", "value": 1, "unit": "count"}), "no_date"),
    ],
)
def test_what_can_t_be_taken_is_rejected_alone(bench: Bench, bad: str, reason: str) -> None:
    account = fold(bench, quantity("StepCount", "5", start=f"{DAY} 07:00:00 +0200"), bad)
    assert (account.status, account.counts.received, account.counts.new) == ("partial", 2, 1)
    assert [one.reason for one in account.rejected] == [reason]
    assert bench.only().qty == 5


@pytest.mark.parametrize(
    "odd",
    [
        None, 5, "Record", {}, [], ["Record"], ["Record", []], ["Record", {"a": 1}],
        ["Record", {}, {}], ["Record", {}, [5]], ["Record", {}, [], 4], [["Record"], {}],
        {"name": "step_count", "data": [{"date": START, "qty": 1}]}, ["Record", {}],
    ],
)  # fmt: skip
def test_what_is_no_element_is_rejected_alone(bench: Bench, odd: object) -> None:
    good = section(body(quantity("StepCount", "5")))["elements"]
    assert isinstance(good, list)
    account = bench.fold(apple(odd, *good), None)
    assert (account.counts.received, account.counts.new, account.counts.rejected) == (2, 1, 1)
    assert bench.only().qty == 5


@pytest.mark.parametrize("value", [5, "text", {"elements": 5}])
def test_a_section_of_another_shape_is_one_rejected_element(bench: Bench, value: object) -> None:
    account = bench.fold(json.dumps({"data": {"appleHealth": value}}).encode(), None)
    assert (account.counts.received, account.counts.rejected) == (1, 1)


@pytest.mark.parametrize("value", [None, {}, [], {"elements": []}, {"exportDate": "x"}])
def test_an_empty_section_says_nothing(bench: Bench, value: object) -> None:
    account = bench.fold(json.dumps({"data": {"appleHealth": value}}).encode(), None)
    assert (account.status, account.counts.received) == ("parsed", 0)


def test_a_section_nested_too_deep_is_malformed() -> None:
    deep: object = []
    for _ in range(200):
        deep = [deep]
    for content in (apple(deep), apple(["Record", {}, deep]), apple({"a": deep})):
        with pytest.raises(Malformed):
            hear(delivery(1, content, None), content, no_check)


@pytest.mark.scenario("import", "What nobody takes is named")
def test_what_nobody_takes_yet_is_named(bench: Bench) -> None:
    account = fold(
        bench,
        quantity("StepCount"),
        tag("ActivitySummary", {"dateComponents": "2026-05-03"}),
        tag("ClinicalRecord", {"type": "x"}),
        tag("Audiogram", {"type": "x"}, tag("SensitivityPoint", {}, indent=2)),
        tag("VisionPrescription", {"type": "x"}),
        tag("Correlation", {"type": "HKCorrelationTypeIdentifierFood"}, quantity("DietaryIron")),
    )
    assert account.uncovered == (
        "appleHealth.ActivitySummary",
        "appleHealth.Audiogram",
        "appleHealth.ClinicalRecord",
        "appleHealth.Correlation.Food",
        "appleHealth.VisionPrescription",
    )
    assert (account.status, account.counts.received) == ("partial", 1)


@pytest.mark.scenario("import", "Every element has one fate")
def test_every_element_has_one_fate(bench: Bench) -> None:
    inside = (
        *(quantity("HeartRate", n, unit="count/min") for n in range(50, 60)),
        quantity("StepCount", "x"),
        category("SleepAnalysis", "HKCategoryValueSleepAnalysisAsleepREM"),
        category("Headache", "HKCategoryValueSeverityMild"),
        category("MenstrualFlow", "HKCategoryValueVaginalBleedingLight"),
        category("LowHeartRateEvent", "HKCategoryValueNotApplicable"),
        category("New", "HKCategoryValueNotApplicable"),
        workout("Running", statistic("HeartRate", "count/min", average="1")),
    )
    account = fold(bench, *inside)
    counts = account.counts
    assert counts.received == len(inside)
    assert counts.received == counts.taken + counts.rejected


def test_records_reach_the_readers_of_their_sections() -> None:
    content = body(
        category("SleepAnalysis", "HKCategoryValueSleepAnalysisAsleepREM"),
        category("Headache", "HKCategoryValueSeverityMild"),
        category("MenstrualFlow", "HKCategoryValueVaginalBleedingLight"),
        category("LowHeartRateEvent", "HKCategoryValueNotApplicable"),
        workout("Running", note("HKIndoorWorkout", 0)),
    )
    words = hear(delivery(1, content, None), content, no_check).parsed.records
    span = "2026-05-03T06:00:00Z|2026-05-03T06:10:00Z"
    assert {(word.kind, word.key) for word in words} == {
        ("sleep", f"{span}|rem|Apple Watch"),
        ("symptom", f"{span}|Headache"),
        ("cycle", f"{span}|Menstrual Flow"),
        ("heart_notification", "low_heart_rate_notification|2026-05-03T06:00:00Z"),
        ("workout", f"Outdoor Run|{span}"),
    }


def test_a_segment_is_the_one_that_the_live_feed_sends() -> None:
    sent = live(
        metric(
            "sleep_analysis",
            {"startDate": START, "endDate": END, "qty": 1 / 6, "value": "REM", "source": "Watch"},
            units="hr",
        )
    )
    told = body(category("SleepAnalysis", "HKCategoryValueSleepAnalysisAsleepREM", source="Watch"))
    keys = [
        hear(delivery(1, content, None), content, no_check).parsed.records[0].key
        for content in (sent, told)
    ]
    assert keys[0] == keys[1]


def test_other_sections_are_left_as_they_are() -> None:
    sections = [("metrics", [1]), ("workouts", [2])]
    assert opened(sections) == (sections, frozenset(), None)


def test_the_order_of_the_bodies_never_matters() -> None:
    inside = [
        quantity("StepCount", n % 3, start=f"{DAY} 08:{n % 20:02}:00 +0200", end=END)
        for n in range(60)
    ]
    content = [body(*inside[at : at + 15]) for at in range(0, 60, 15)]
    digests = set()
    for order in ((0, 1, 2, 3), (3, 1, 0, 2), (2, 2, 3, 0, 1)):
        with open_bench() as bench:
            for number in order:
                one = delivery(number, content[number], None, automation_id=None)
                heard = hear(one, content[number], no_check)
                bench.merge(one, plan(heard, lambda: None))
            digests.add(bench.digest())
    assert len(digests) == 1


def test_chunks_of_any_size_hold_the_same_samples(bench: Bench) -> None:
    inside = [
        quantity("StepCount", n % 7, start=f"{DAY} 08:{n // 2:02}:00 +0200", end=NINE)
        for n in range(40)
    ]
    [whole] = chunks(export(*inside))
    bench.fold(whole.body, None, automation_id=None)
    with open_bench() as other:
        for at in range(0, 40, 2):
            other.fold(body(*inside[at : at + 2]), None, automation_id=None)
        assert [one[:8] for one in other.points()] == [one[:8] for one in bench.points()]
