"""The notes of a day: the recordings that were spoken on it."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from healthlog.transcriber.listing import spoken_within
from healthlog.transcriber.notes import local_day
from healthlog.transcriber.times import moment_of, moment_text
from healthlog.transcriber.transcript import Transcript
from tests.support.accepting import plans
from tests.support.clock import FakeClock
from tests.support.reading import MINUTES, Desk, open_desk, steps
from tests.support.spoken import at, change, hear, row, sent


def notes(desk: Desk, day: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = desk.get(f"/api/v1/days/{day}").json()["notes"]
    return found


@pytest.mark.scenario("recording-doors", "Day shows the notes that were spoken on it")
def test_a_day_shows_the_notes_that_were_spoken_on_it(desk: Desk) -> None:
    desk.send(steps(("2026-08-02 09:30:00 +0200", 5)), MINUTES)
    late = sent(desk, title="Evening", recorded_at="2026-08-02T23:30:00+02:00")
    early = sent(desk, recorded_at="2026-08-02T00:30:00+02:00")
    sent(desk, recorded_at="2026-08-03T00:30:00+02:00")
    hear(desk, early, Transcript("Slept badly, and woke at five."))
    assert notes(desk, "2026-08-02") == [
        {
            "recording_id": early,
            "spoken_at": "2026-08-02T00:30:00+02:00",
            "stage": "done",
            "duration_ms": 2000,
            "beginning": "Slept badly, and woke at five.",
        },
        {
            "recording_id": late,
            "spoken_at": "2026-08-02T23:30:00+02:00",
            "stage": "uploaded",
            "title": "Evening",
        },
    ]
    assert len(notes(desk, "2026-08-03")) == 1
    assert notes(desk, "2026-08-01") == []
    change(desk, early, summary="A bad night")
    [note, _] = notes(desk, "2026-08-02")
    assert note["summary"] == "A bad night"
    assert "beginning" not in note


@pytest.mark.scenario("recording-doors", "Recording without an offset is one of the set zone")
def test_a_recording_without_an_offset(data: Path, clock: FakeClock) -> None:
    with open_desk(data, clock, timezone="Asia/Tokyo") as desk:
        one = sent(desk, recorded_at="2026-08-02T15:30:00Z")
        came = sent(desk)
        assert [note["recording_id"] for note in notes(desk, "2026-08-03")] == [one]
        assert [note["recording_id"] for note in notes(desk, "2026-08-02")] == [came]


@pytest.mark.parametrize(
    ("said", "zone", "day"),
    [
        ("2026-03-29T00:30:00Z", "Europe/Berlin", "2026-03-29"),
        ("2026-03-28T23:30:00Z", "Europe/Berlin", "2026-03-29"),
        ("2026-03-28T22:59:59Z", "Europe/Berlin", "2026-03-28"),
        ("2026-01-01T09:59:59Z", "Pacific/Kiritimati", "2026-01-01"),
        ("2026-01-01T10:00:00Z", "Pacific/Kiritimati", "2026-01-02"),
        ("2026-01-01T00:00:00-11:00", "Pacific/Kiritimati", "2026-01-01"),
    ],
)
def test_the_local_day(desk: Desk, said: str, zone: str, day: str) -> None:
    one = row(desk, sent(desk, recorded_at=said))
    found = local_day(one, ZoneInfo(zone))
    assert date.fromordinal(found + date(1970, 1, 1).toordinal()).isoformat() == day


def test_the_notes_of_a_day_are_found_by_their_index(desk: Desk) -> None:
    [plan] = plans(desk.house.journal, lambda c: spoken_within(c, 1, 2))
    assert plan == "SEARCH recording USING INDEX recording_spoken (<expr>>? AND <expr><?)"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("2026-08-02T08:01:42Z", "2026-08-02T08:01:42Z"),
        ("2026-08-02t08:01:42.5z", "2026-08-02T08:01:42.500000Z"),
        ("2026-08-02T08:01:42+05:45", "2026-08-02T08:01:42+05:45"),
        ("2026-08-02 08:01:42-03:30", "2026-08-02T08:01:42-03:30"),
        ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"),
    ],
)
def test_instants_keep_their_offsets(said: str, shown: str) -> None:
    assert moment_text(*moment_of(said)) == shown


@pytest.mark.parametrize(
    "said",
    ["", "2026-08-02", "2026-08-02T08:01:42", "1969-12-31T23:59:59Z", "2026-08-02T08:01:42+19:00",
     "9999-12-31T23:59:59-00:01", "yesterday", "2026-02-30T00:00:00Z"],
)  # fmt: skip
def test_what_is_no_instant_is_refused(said: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - any of its kinds
        moment_of(said)


def test_a_recording_that_came_before_midnight_of_utc(desk: Desk) -> None:
    one = sent(desk)
    late = datetime(2026, 8, 2, 23, 59, 59, tzinfo=UTC)
    at(desk, one, accepted_at_us=round(late.timestamp() * 1e6))
    assert len(notes(desk, "2026-08-02")) == 1
