"""The smaller sections: by what their elements are known."""

from __future__ import annotations

import pytest

from tests.support.records import parsed, rejected, sections, without, word

START, END = "2026-05-05 09:29:13 +0200", "2026-05-05 09:29:43 +0200"
SPAN = {"start": START, "end": END}
AT, UNTIL = "2026-05-05T07:29:13Z", "2026-05-05T07:29:43Z"
DOSE = {"displayText": " Vitamin  D ", "scheduledDate": END, **SPAN}
SYMPTOM = {"name": "Fatiga ", "severity": "Leve", **SPAN}
WARNING = {"heartNotification": "low_heart_rate_notification", **SPAN}
MOOD = {"id": "0a0a-1", **SPAN}

SHAPES = {
    "ecg": SPAN,
    "stateOfMind": MOOD,
    "medications": DOSE,
    "symptoms": SYMPTOM,
    "cycleTracking": SYMPTOM,
    "heartRateNotifications": WARNING,
}


@pytest.mark.parametrize(
    ("section", "kind", "key"),
    [
        ("ecg", "ecg", AT),
        ("stateOfMind", "state_of_mind", "0A0A-1"),
        ("medications", "medication", f"Vitamin D|{UNTIL}"),
        ("symptoms", "symptom", f"{AT}|{UNTIL}|Fatiga"),
        ("cycleTracking", "cycle", f"{AT}|{UNTIL}|Fatiga"),
        ("heartRateNotifications", "heart_notification", f"low_heart_rate_notification|{AT}"),
    ],
)
def test_an_element_is_known_by(section: str, kind: str, key: str) -> None:
    found = word(sections(**{section: [SHAPES[section]]}))
    assert (found.kind, found.key) == (kind, key)


@pytest.mark.parametrize(
    ("section", "missing"),
    [
        ("ecg", "start"),
        ("stateOfMind", "id"),
        ("medications", "displayText"),
        ("symptoms", "start"),
        ("symptoms", "name"),
        ("cycleTracking", "name"),
        ("heartRateNotifications", "start"),
    ],
)
def test_without_that_it_is_rejected(section: str, missing: str) -> None:
    found = parsed(sections(**{section: [without(SHAPES[section], missing)]}))
    assert rejected(found) == {f"{section}[0]": "no_identity"}
    assert found.metrics.rejections.sections == {section}


@pytest.mark.parametrize("section", ["ecg", "symptoms", "cycleTracking", "heartRateNotifications"])
def test_an_unreadable_start_that_is_identity_is_rejected(section: str) -> None:
    found = parsed(sections(**{section: [{**SHAPES[section], "start": "soon"}]}))
    assert rejected(found) == {f"{section}[0]": "unreadable_date"}


def test_a_state_of_mind_needs_no_dates() -> None:
    found = word(sections(stateOfMind=[{"id": "A", "start": "soon"}]))
    assert (found.key, found.start_ms, found.fields["start"]) == ("A", None, '"soon"')


@pytest.mark.parametrize("scheduled", [None, "", "soon", "2026-05-05"])
def test_a_dose_without_scheduled_date_is_known_by_its_start(scheduled: object) -> None:
    found = word(sections(medications=[{**DOSE, "scheduledDate": scheduled}]))
    assert found.key == f"Vitamin D|{AT}"


def test_a_dose_that_was_not_taken_stands_where_it_was_scheduled() -> None:
    found = word(sections(medications=[without(DOSE, "start", "end")]))
    assert (found.key, found.start_ms) == (f"Vitamin D|{UNTIL}", 1_777_966_183_000)


@pytest.mark.parametrize(
    ("element", "reason"),
    [
        ({"displayText": "X"}, "no_identity"),
        ({"displayText": "X", "scheduledDate": "soon"}, "unreadable_date"),
        ({"displayText": "X", "start": "2026-05-05"}, "date_without_time"),
    ],
)
def test_a_dose_without_any_time_is_rejected(element: dict[str, object], reason: str) -> None:
    assert rejected(parsed(sections(medications=[element]))) == {"medications[0]": reason}


@pytest.mark.parametrize("end", [None, "", "later", 5])
@pytest.mark.parametrize("section", ["symptoms", "cycleTracking"])
def test_without_an_end_it_ends_as_it_begins(section: str, end: object) -> None:
    found = word(sections(**{section: [{**SYMPTOM, "end": end}]}))
    assert found.key == f"{AT}|{AT}|Fatiga"
    assert found.end_ms is None


@pytest.mark.parametrize("kind", [None, "", 5])
def test_a_warning_may_not_say_of_what(kind: object) -> None:
    found = word(sections(heartRateNotifications=[{**WARNING, "heartNotification": kind}]))
    assert found.key == f"unknown|{AT}"


def test_the_source_of_a_warning_may_be_an_object() -> None:
    found = word(sections(heartRateNotifications=[{**WARNING, "source": {"name": "Watch"}}]))
    assert found.fields["source"] == '{"name":"Watch"}'
