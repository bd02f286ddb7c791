"""What follows from a merged record."""

from __future__ import annotations

from typing import Any

import pytest

from healthlog.moment import HOUR_MS
from healthlog.records.derive import by_clock, day, derived
from healthlog.records.record import KINDS
from tests.support.records import night, segment

SPAN = {"start": "2026-05-05 09:29:13 +0200", "end": "2026-05-05 09:29:43 +0200"}
START_S = 1_777_966_153
MIDNIGHT_MS = 1_777_932_000_000  # 2026-05-05T00:00:00+02:00
MAY_5 = 20_578


def flags(kind: str, **data: Any) -> tuple[str, ...]:
    return derived(kind, {**SPAN, **data}).flags


def values(kind: str, **data: Any) -> dict[str, Any]:
    return derived(kind, {**SPAN, **data}).values


def berlin(_: int) -> int:
    return 120


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_follows_from_nothing(kind: str) -> None:
    found = derived(kind, {})
    assert (found.start_ms, found.end_ms, found.values, found.flags) == (None, None, {}, ())


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "sleep"])
def test_start_and_end_follow_from_the_fields(kind: str) -> None:
    found = derived(kind, SPAN)
    assert (found.start_ms, found.end_ms) == (START_S * 1000, (START_S + 30) * 1000)
    assert found.flags == ()


def test_an_end_from_another_word_may_lie_before_the_start() -> None:
    assert flags("workout", end="2026-05-05 09:00:00 +0200") == ("ends_before_start",)


def test_flags_are_in_order() -> None:
    found = flags("workout", end="2026-05-05 09:00:00 +0200", speed={"qty": 5_000, "units": "m/hr"})
    assert found == ("ends_before_start", "unit_doubtful")


@pytest.mark.scenario("records", "Samples of an ECG have their epoch")
@pytest.mark.parametrize("kind", ["ecg", "heart_notification"])
def test_samples_have_an_epoch(kind: str) -> None:
    name = "voltageMeasurements" if kind == "ecg" else "heartRateData"
    assert values(kind, **{name: [{"date": START_S + 1.5}]}) == {"epoch": 1970}
    assert values(kind, **{name: [{"date": START_S - 978_307_200}]}) == {"epoch": 2001}
    assert flags(kind, **{name: [{"date": 5}]}) == ("epoch_unknown",)
    assert derived(kind, SPAN).flags == ()


def test_a_documented_warning_has_times_that_are_texts() -> None:
    beat = {"hr": 124, "timestamp": {"start": SPAN["start"], "interval": {"duration": 60}}}
    found = derived("heart_notification", {**SPAN, "heartRate": [beat]})
    assert (found.values, found.flags) == ({}, ())


@pytest.mark.parametrize(("said", "missing"), [(3, True), (2, False), (1, False), (None, False)])
def test_voltages_that_were_cut_are_doubted(said: object, missing: bool) -> None:
    voltages = [{"date": START_S}, {"date": START_S + 1}]
    found = flags("ecg", voltageMeasurements=voltages, numberOfVoltageMeasurements=said)
    assert found == (("samples_missing",) if missing else ())


def test_an_ecg_without_voltages_lacks_none() -> None:
    assert flags("ecg", numberOfVoltageMeasurements=15_379) == ()


@pytest.mark.parametrize(
    ("status", "canonical"),
    [("Taken", "taken"), (" Tomado", "taken"), ("Übersprungen", "skipped"), (None, None)],
)
def test_a_dose_has_a_status(status: object, canonical: str | None) -> None:
    assert values("medication", status=status).get("status") == canonical
    assert flags("medication", status=status) == ()


def test_a_status_that_nobody_knows_is_doubted() -> None:
    assert values("medication", status="Verschwunden") == {}
    assert flags("medication", status="Verschwunden") == ("status_unknown",)


@pytest.mark.scenario("records", "Findings are known in whatever language")
@pytest.mark.parametrize(
    ("kind", "name", "word", "meant"),
    [
        ("ecg", "classification", "Ritmo Sinusal", "sinus_rhythm"),
        ("ecg", "classification", "Vorhofflimmern", "atrial_fibrillation"),
        ("symptom", "severity", "Leve", "mild"),
        ("symptom", "severity", "Сильная", "severe"),
    ],
)
def test_a_finding_is_known_in_whatever_language(
    kind: str, name: str, word: str, meant: str
) -> None:
    assert (values(kind, **{name: word}), flags(kind, **{name: word})) == ({name: meant}, ())
    assert (values(kind, **{name: "?!"}), flags(kind, **{name: "?!"})) == ({}, (f"{name}_unknown",))
    assert (values(kind, **{name: None}), flags(kind, **{name: None})) == ({}, ())


@pytest.mark.scenario("records", "Findings are known in whatever language")
@pytest.mark.parametrize(("word", "flow"), [("Abundante", "heavy"), ("Negative", None), (5, None)])
def test_a_bleeding_has_its_flow_and_all_else_no_doubt(word: object, flow: str | None) -> None:
    assert values("cycle", value=word) == ({} if flow is None else {"flow": flow})
    assert flags("cycle", value=word) == ()


@pytest.mark.parametrize(
    ("sent", "classification"),
    [("unpleasant", "unpleasant"), ("Very Pleasant", "very_pleasant"), (1, "very_unpleasant"),
     (7, "very_pleasant"), (4, "neutral")],
)  # fmt: skip
def test_a_mood_is_classified_by_word_or_number(sent: object, classification: str) -> None:
    assert values("state_of_mind", valenceClassification=sent) == {"classification": classification}


@pytest.mark.parametrize("sent", [0, 8, 4.5, True, "so so", []])
def test_another_classification_is_doubted(sent: object) -> None:
    assert values("state_of_mind", valenceClassification=sent) == {}
    assert flags("state_of_mind", valenceClassification=sent) == ("classification_unknown",)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "sleep"])
def test_a_record_belongs_to_the_day_it_begins_on(kind: str) -> None:
    assert day(kind, MIDNIGHT_MS - 1, MIDNIGHT_MS + 1, berlin) == MAY_5 - 1
    assert day(kind, None, MIDNIGHT_MS, berlin) == MAY_5


def test_sleep_belongs_to_the_day_it_ends_on() -> None:
    assert day("sleep", MIDNIGHT_MS - 1, MIDNIGHT_MS + 1, berlin) == MAY_5
    assert day("sleep", MIDNIGHT_MS - 1, None, berlin) == MAY_5 - 1


def test_without_a_time_there_is_no_day() -> None:
    assert day("workout", None, None, berlin) is None


def test_a_day_is_that_of_the_clock_at_its_instant() -> None:
    assert day("ecg", MIDNIGHT_MS, None, lambda at_ms: 120 if at_ms == MIDNIGHT_MS else 0) == MAY_5
    assert day("ecg", MIDNIGHT_MS, None, lambda _: 119) == MAY_5 - 1


@pytest.mark.parametrize(
    ("begins_h", "lasts_h", "session"),
    [
        (9, 3.99, "nap"),
        (8.99, 1, "night"),
        (19.99, 1, "nap"),
        (20, 1, "night"),
        (14, 4, "night"),
        (14, 0.5, "nap"),
        (23, 7, "night"),
        (2, 3, "night"),
    ],
)
def test_a_nap_begins_by_day_and_is_short(begins_h: float, lasts_h: float, session: str) -> None:
    start_ms = MIDNIGHT_MS + round(begins_h * HOUR_MS)
    end_ms = start_ms + round(lasts_h * HOUR_MS)
    whole = night("x", "y")
    assert by_clock("sleep", whole, start_ms, end_ms, berlin) == {"session": session}


def test_a_segment_is_no_session() -> None:
    assert by_clock("sleep", segment("x", "y"), MIDNIGHT_MS, MIDNIGHT_MS + 1, berlin) == {}
    assert by_clock("workout", SPAN, MIDNIGHT_MS, MIDNIGHT_MS + 1, berlin) == {}
    assert by_clock("sleep", night("x", "y"), None, None, berlin) == {}
