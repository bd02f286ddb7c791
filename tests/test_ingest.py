"""`POST /ingest`: what is taken, what is refused, what the answer says."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from healthlog.base.errors import Busy
from tests.support.accepting import BODY, entry
from tests.support.clock import FakeClock
from tests.support.door import Door, open_door

DAYS = (
    b'{"data":{"metrics":[{"name":"step_count","units":"count","data":['
    b'{"date":"2026-05-03 00:00:00 +0200","qty":8123,"source":"Watch|iPhone"}]}]}}'
)
HAE = (
    "Content-Type: application/json; charset=utf-8",
    "automation-id: 6F2A",
    "automation-name: Täglich \u2013 Minuten",
    "automation-aggregation: Minutes",
    "automation-period: Default",
    "session-id: 77AA",
)


@pytest.fixture
def door(data: Path, clock: FakeClock) -> Iterator[Door]:
    with open_door(data, clock) as door:
        yield door


@pytest.mark.scenario("ingest", "Answer describes the stored delivery")
def test_the_answer_describes_the_stored_delivery(door: Door) -> None:
    answer = door.post(DAYS, *HAE)
    [delivery_id] = door.house.rows()
    assert answer.status == 200
    assert answer.said == {
        "delivery_id": delivery_id,
        "received_at": "2026-08-02T08:01:42.123456Z",
        "parse_status": "pending",
        "bytes": len(DAYS),
        "sha256": hashlib.sha256(DAYS).hexdigest(),
    }
    assert door.house.bodies() == [delivery_id]
    assert door.house.archive.read(delivery_id, answer.said["sha256"], len(DAYS)) == DAYS
    assert entry(door.house.journal, delivery_id).parse_status == "pending"


def test_the_head_is_kept_with_the_body(door: Door) -> None:
    answer = door.post(DAYS, *HAE)
    kept = entry(door.house.journal, answer.said["delivery_id"]).delivery
    assert kept.content_type == "application/json; charset=utf-8"
    assert (kept.automation_id, kept.automation_name) == ("6F2A", "Täglich \u2013 Minuten")
    assert (kept.aggregation, kept.period, kept.session_id) == ("Minutes", "Default", "77AA")
    assert kept.remote == "192.0.2.1"
    assert door.house.archive.meta(kept.delivery_id) == kept


def test_a_blank_header_says_nothing(door: Door) -> None:
    answer = door.post(BODY, "automation-id:  ", "automation-name:")
    kept = entry(door.house.journal, answer.said["delivery_id"]).delivery
    assert (kept.automation_id, kept.automation_name, kept.content_type) == (None, None, None)


@pytest.mark.scenario("ingest", "Long header is cut")
def test_what_an_automation_says_of_itself_is_cut(door: Door) -> None:
    names = ("automation-id", "automation-name", "automation-period", "session-id")
    answer = door.post(BODY, *(f"{name}: {'ä' * 256}b" for name in names))
    kept = entry(door.house.journal, answer.said["delivery_id"]).delivery
    said = (kept.automation_id, kept.automation_name, kept.period, kept.session_id)
    assert said == ("ä" * 256,) * 4
    assert door.house.archive.meta(kept.delivery_id) == kept


def test_the_worker_is_woken_by_a_row_that_is_there(door: Door) -> None:
    answer = door.post(BODY)
    assert door.rows_at_wake == [[answer.said["delivery_id"]]]


def test_rows_written_for_others_wake_the_worker_too(door: Door) -> None:
    door.house.disk.fail("begin rows", Busy("somebody else is writing"))
    door.post(BODY)
    door.house.disk.accidents.clear()
    door.house.disk.fail("rename part 3 to body", Busy("anything"))
    assert door.post(BODY).status == 503
    assert door.rows_at_wake[-1] == door.house.rows()
    assert len(door.house.rows()) == 1


def test_each_post_is_a_delivery_of_its_own(door: Door) -> None:
    ids = [door.post(BODY).said["delivery_id"] for _ in range(3)]
    assert door.house.rows() == door.house.bodies() == sorted(set(ids)) == ids


# What is no object


@pytest.mark.scenario("ingest", "Body that is no object is refused")
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" \r\n\t",
        b"\xef\xbb\xbf",
        b"[1]",
        b'"x"',
        b"null",
        b"{",
        b"}",
        b"date,qty\n2026-05-03,1\n",
        DAYS[:-2],
        DAYS[:60],
        DAYS + b",",
        b"\0" + DAYS,
    ],
)
def test_what_is_no_object_is_refused(door: Door, body: bytes) -> None:
    answer = door.post(body)
    assert answer.status == 400
    assert door.untouched()
    assert door.rows_at_wake == []


def test_an_empty_body_is_told_from_a_broken_one(door: Door) -> None:
    assert door.post(b"  ").detail == "The body is empty."
    assert "begin with {" in door.post(b"[]").detail


@pytest.mark.scenario("ingest", "Byte order mark and blanks are allowed")
def test_a_byte_order_mark_with_blanks_is_allowed(door: Door) -> None:
    body = b'\xef\xbb\xbf  {"data":{}}\n'
    answer = door.post(body)
    assert (answer.status, answer.said["bytes"]) == (200, len(body))
    assert door.house.archive.read(answer.said["delivery_id"], "", 100) == body


def test_braces_around_no_json_are_kept(door: Door) -> None:
    answer = door.post(b"{oops}")
    assert answer.status == 200
    assert door.house.archive.read(answer.said["delivery_id"], "", 100) == b"{oops}"


# Content types


@pytest.mark.scenario("ingest", "Form or CSV is refused with a hint")
@pytest.mark.parametrize(
    "kind",
    [
        "text/csv",
        "Text/CSV; charset=utf-8",
        "multipart/form-data; boundary=x",
        "multipart/form-data",
    ],
)
def test_csv_or_a_form_is_refused_with_a_hint(door: Door, kind: str) -> None:
    answer = door.post(BODY, f"Content-Type: {kind}")
    assert answer.status == 415
    assert "choose JSON" in answer.detail
    assert door.untouched()


@pytest.mark.parametrize(
    "kind",
    [
        "application/json",
        "text/plain",
        "application/octet-stream",
        "x",
        "text/csvx",
        "multipart/mixed",
    ],
)
def test_any_other_type_is_taken(door: Door, kind: str) -> None:
    assert door.post(BODY, f"Content-Type: {kind}").status == 200


@pytest.mark.parametrize("coding", ["br", "deflate", "gzip, gzip", "zstd"])
def test_an_unknown_coding_is_refused(door: Door, coding: str) -> None:
    assert door.post(BODY, f"Content-Encoding: {coding}").status == 415
    assert door.untouched()


# Traces


def test_an_accepted_delivery_is_logged(door: Door) -> None:
    answer = door.post(DAYS, *HAE)
    [line] = door.house.lines("delivery accepted")
    assert line["level"] == "INFO"
    assert line["delivery_id"] == answer.said["delivery_id"]
    assert (line["bytes"], line["duration_ms"]) == (len(DAYS), 0)
    assert line["automation_name"] == "Täglich \u2013 Minuten"


def test_a_refused_body_is_no_accepted_one(door: Door) -> None:
    door.post(b"[]")
    assert door.house.lines("delivery accepted") == []


@pytest.mark.parametrize("body", [b'{"canary":1}', b"[canary]", b"canary"])
def test_contents_stay_out_of_log_or_answer(door: Door, body: bytes) -> None:
    answer = door.post(body)
    assert "canary" not in door.house.stream.getvalue()
    assert "canary" not in str(answer.said)
