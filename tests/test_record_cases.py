"""Bodies of each kind that the phone has sent over the years, folded to records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from healthlog.model import PARSED, PARTIAL, Counts
from healthlog.moment import HOUR_MS
from tests.support.folding import DAYS, Bench, case, open_bench
from tests.support.records import listed, reasons, sections, stored


@pytest.fixture
def bench() -> Iterator[Bench]:
    with open_bench() as made:
        yield made


def fold(bench: Bench, name: str) -> list[dict[str, Any]]:
    """The records of one body, all of which is taken."""
    account = bench.fold(case(f"{name}.json"), DAYS)
    assert (account.status, account.uncovered, account.rejected) == (PARSED, (), ())
    found = listed(bench)
    assert account.counts == Counts(received=len(found), new=len(found))
    return found


@pytest.mark.scenario("records", "Night of 2021 has its total in asleep")
def test_a_night_of_2021(bench: Bench) -> None:
    [night] = fold(bench, "22_sleep_old_661")
    assert (night["day"], night["kind"]) == ("2021-11-06", "sleep")
    assert night["key"] == "2021-11-05T18:11:00Z|2021-11-06T00:20:00Z|Watch"
    assert night["derived"] == {"total_h": 5.9, "in_bed_h": 6.5, "session": "night"}
    assert night["flags"] == ["in_bed_exceeds_span"]
    assert night["data"]["inBed"] == 12.9


@pytest.mark.scenario("records", "Night of 2023 is the sum of its stages")
def test_a_night_of_2023(bench: Bench) -> None:
    [night] = fold(bench, "23_sleep_662")
    assert night["derived"] == {"total_h": 5.75, "in_bed_h": 7.9, "session": "night"}
    assert (night["day"], night["flags"]) == ("2023-02-14", [])
    assert night["key"].endswith("|Watch,iPhone")


@pytest.mark.scenario("records", "Night and nap of one date are two records")
def test_a_night_and_a_nap_of_one_date(bench: Bench) -> None:
    night, nap = fold(bench, "24_sleep_2026_night_and_nap")
    assert (night["day"], nap["day"]) == ("2026-05-08", "2026-05-08")
    assert night["derived"] == {"total_h": 7.1, "in_bed_h": 7.75, "session": "night"}
    assert nap["derived"] == {"total_h": 0.4, "in_bed_h": 0.4, "session": "nap"}


@pytest.mark.scenario("records", "Segments are kept apart by stage and source")
def test_segments_of_three_sources(bench: Bench) -> None:
    found = fold(bench, "25_sleep_raw_segments")
    assert [one["derived"]["stage"] for one in found] == ["in_bed", "asleep", "core", "deep"]
    assert {one["day"] for one in found} == {"2026-05-04"}
    watch = [one for one in stored(bench) if one.data["source"] == "Watch"]
    assert sum((one.end_ms or 0) - (one.start_ms or 0) for one in watch) == 1.25 * HOUR_MS


@pytest.mark.scenario("records", "Night without times is rejected")
def test_a_night_of_zeros_without_times(bench: Bench) -> None:
    fold(bench, "24_sleep_2026_night_and_nap")
    before = stored(bench)
    account = bench.fold(case("27_sleep_no_inbed_missing_zero.json"), DAYS)
    assert account.status == PARTIAL
    assert reasons(account.rejected) == {"metrics.sleep_analysis[0]": "no_identity"}
    assert stored(bench) == before


@pytest.mark.scenario("records", "Workout of version 1 is known by name, start and end")
def test_a_workout_of_version_1(bench: Bench) -> None:
    [walk] = fold(bench, "28_workout_v1")
    assert walk["key"] == "Walking|2023-01-20T00:00:00Z|2023-01-20T00:25:00Z"
    assert (walk["start"], walk["day"]) == ("2023-01-20T11:00:00+11:00", "2023-01-20")
    assert walk["data"]["activeEnergy"] == {"qty": 80.5, "units": "kcal"}
    assert walk["data"]["route"][0]["lat"] == 0.25
    assert "heartRateRecovery" not in walk["data"]
    assert walk["flags"] == []


@pytest.mark.scenario("records", "Workout of version 2 is known by its id")
def test_a_workout_of_version_2(bench: Bench) -> None:
    [run] = fold(bench, "29_workout_v2")
    assert run["key"] == "0B0B0B0B-0000-4000-8000-00000000000A"
    assert (run["data"]["duration"], "totalEnergy" in run["data"]) == (2460.25, False)
    assert run["data"]["avgSpeed"] == {"qty": 10.5, "units": "km"}
    assert run["flags"] == ["unit_doubtful"]


@pytest.mark.scenario("records", "Recovery sent as heart rate is flagged")
def test_recovery_that_was_sent_as_heart_rate(bench: Bench) -> None:
    [run] = fold(bench, "31_workout_v2_recovery_as_hr")
    assert run["data"]["name"] == "Outdoor Ausführen"
    assert (len(run["data"]["heartRateData"]), run["flags"]) == (2, ["heart_rate_is_recovery"])
    assert run["derived"] == {"type": "running"}


@pytest.mark.scenario("records", "Activities and segments are kept as sent")
def test_a_workout_of_version_10(bench: Bench) -> None:
    [run] = fold(bench, "33_workout_v10_segments")
    assert run["data"]["activities"][0]["metrics"]["distance"] == {"qty": 2.6, "units": "km"}
    assert len(run["data"]["segments"]) == 2
    assert (run["derived"], run["flags"]) == ({"type": "running"}, [])


@pytest.mark.scenario("records", "States of mind are known by id")
def test_states_of_mind(bench: Bench) -> None:
    calm, down = fold(bench, "34_state_of_mind")
    assert calm["key"] == "0A0A0A0A-0000-4000-8000-000000000001"
    assert down["key"] == "0A0A0A0A-0000-4000-8000-000000000002"
    assert calm["start"] == "2026-05-05T05:20:00+00:00"
    assert [one["derived"]["classification"] for one in (calm, down)] == [
        "slightly_pleasant", "unpleasant",
    ]  # fmt: skip


@pytest.mark.scenario("records", "Symptoms and cycle keep their words")
def test_symptoms_and_cycle(bench: Bench) -> None:
    flow, ache = fold(bench, "36_symptoms_cycle")
    assert (ache["kind"], ache["data"]["name"]) == ("symptom", "Kopfschmerz")
    assert (ache["data"]["severity"], ache["derived"]) == ("Leicht", {"severity": "mild"})
    assert (flow["data"]["value"], flow["derived"]) == ("Medium", {"flow": "medium"})
    assert flow["key"] == "2026-05-05T05:00:00Z|2026-05-05T05:00:00Z|Menstrual Flow"


@pytest.mark.scenario("records", "Samples of an ECG have their epoch")
def test_an_ecg(bench: Bench) -> None:
    [ecg] = fold(bench, "37_ecg")
    assert ecg["key"] == "2026-05-05T08:10:10Z"
    assert ecg["derived"] == {"epoch": 1970, "classification": "sinus_rhythm"}
    assert ecg["flags"] == []
    assert len(ecg["data"]["voltageMeasurements"]) == 3


@pytest.mark.scenario("records", "Doses have a status in whatever language")
def test_medications(bench: Bench) -> None:
    taken, skipped, odd = fold(bench, "38_medications")
    assert taken["key"] == "Vitamin D|2026-05-05T06:00:00Z"
    assert taken["data"]["displayText"] == "Vitamin D "
    assert [one["derived"].get("status") for one in (taken, skipped, odd)] == [
        "taken", "skipped", None,
    ]  # fmt: skip
    assert (skipped["data"]["dosage"], odd["flags"]) == (1, ["status_unknown"])
    assert odd["key"] == "Vitamin D|2026-05-07T19:30:00Z"


@pytest.mark.scenario("records", "Heart notifications come in two shapes")
def test_heart_notifications(bench: Bench) -> None:
    real, documented = fold(bench, "39_heart_notifications")
    assert real["key"] == "low_heart_rate_notification|2026-05-05T01:00:00Z"
    assert (real["derived"], real["data"]["source"]["name"]) == ({"epoch": 2001}, "Watch")
    assert documented["key"] == "unknown|2026-05-06T02:00:00Z"
    assert (documented["derived"], documented["flags"]) == ({}, [])


def test_a_body_of_everything_at_once(bench: Bench) -> None:
    start = "2026-05-05 08:00:00 +0200"
    content = sections(
        metrics=[{"name": "step_count", "data": [{"date": start, "qty": 5}]}],
        workouts=[{"id": "A", "start": start}],
        symptoms=[],
        ecg=[{"start": start}],
        news=[1],
    )
    account = bench.fold(content, "Minutes")
    assert account.counts == Counts(received=3, new=3)
    assert (account.status, account.uncovered) == (PARTIAL, ("news",))
    assert [one["kind"] for one in listed(bench)] == ["ecg", "workout"]
    assert bench.only("step_count").qty == 5


@pytest.mark.scenario("records", "Unknown stage is kept and flagged")
def test_a_word_in_any_language_is_one_segment(bench: Bench) -> None:
    span = {"startDate": "2026-05-03 23:20:00 +0200", "endDate": "2026-05-04 00:05:00 +0200"}
    for word in ("Deep", "Tief", "深い", "Halbschlaf"):
        data = [{**span, "value": word, "source": "Watch"}]
        bench.fold(sections(metrics=[{"name": "sleep_analysis", "units": "hr", "data": data}]))
    unknown, deep = listed(bench)
    assert (deep["data"]["value"], deep["derived"]) == ("深い", {"stage": "deep"})
    assert (unknown["data"]["value"], unknown["derived"]) == ("Halbschlaf", {})
    assert unknown["flags"] == ["stage_unknown"]
