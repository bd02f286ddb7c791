"""The file of a recording over HTTP, whole and in ranges."""

from __future__ import annotations

from email.utils import formatdate

import pytest

from healthlog.base.http1 import Headers
from healthlog.transcriber.doors.ranges import Range, Unsatisfiable, asked_for
from healthlog.transcriber.rows import HTTP, Meta
from tests.support.clock import MORNING_US
from tests.support.loopback import running
from tests.support.reading import Desk, problem
from tests.support.spoken import API, M4A, READER, at, row, send, sent

SIZE = len(M4A)
ETAG = '"abc"'


@pytest.fixture
def one(desk: Desk) -> str:
    return sent(desk)


def get(desk: Desk, recording_id: str, *fields: str) -> tuple[int, dict[str, str], bytes]:
    reply = desk.get(f"{API}/{recording_id}/audio", READER, *fields)
    return reply.status, reply.headers, reply.body


@pytest.mark.scenario("recording-doors", "File is given out as it came")
def test_the_file_is_given_out_as_it_came(desk: Desk, one: str) -> None:
    status, headers, body = get(desk, one)
    assert (status, body) == (200, M4A)
    assert headers["content-type"] == "audio/x-m4a"
    assert headers["content-length"] == str(SIZE)
    assert headers["accept-ranges"] == "bytes"
    assert headers["etag"] == f'"{row(desk, one).sha256}"'
    assert headers["last-modified"] == formatdate(MORNING_US // 1_000_000, usegmt=True)
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-disposition"] == f'inline; filename="{one}.m4a"'


def test_its_head_tells_the_same_without_the_file(desk: Desk, one: str) -> None:
    lines = (f"HEAD {API}/{one}/audio HTTP/1.1", "Host: x", READER, "Range: bytes=0-4", "", "")
    with running(desk.routes()) as server, server.client() as client:
        client.send("\r\n".join(lines).encode())
        reply = client.reply(head_only=True)
        assert (reply.status, reply.headers["content-length"]) == (200, str(SIZE))
        client.send("\r\n".join(lines).replace("HEAD", "GET").encode())
        assert client.reply().body == M4A[:5]


RANGES = (
    ("bytes=0-", 0, SIZE - 1),
    ("bytes=0-0", 0, 0),
    ("bytes=10-19", 10, 19),
    ("bytes=2000-99999", 2000, SIZE - 1),
    ("bytes=-10", SIZE - 10, SIZE - 1),
    ("bytes=-99999", 0, SIZE - 1),
    (f"bytes={SIZE - 1}-", SIZE - 1, SIZE - 1),
    ("Bytes= 5-6 ", 5, 6),
)
BEHIND = (f"bytes={SIZE}-", "bytes=99999-100000", "bytes=-0")
NONE = (
    *("bytes=5-4", "bytes=0-1,4-5", "bytes=", "bytes=-", "bytes=a-b", "items=0-1", "0-1"),
    *("bytes=1-2-3", "bytes=0x1-2", f"bytes={'9' * 30}-", "bytes=٣-٤"),
)


@pytest.mark.scenario("recording-doors", "Player jumps about in the file")
def test_a_range_is_answered(desk: Desk, one: str) -> None:
    for said, first, last in RANGES:
        status, headers, body = get(desk, one, f"Range: {said}")
        assert (status, body) == (206, M4A[first : last + 1]), said
        assert headers["content-range"] == f"bytes {first}-{last}/{SIZE}"
        assert headers["content-length"] == str(last + 1 - first)


@pytest.mark.scenario("recording-doors", "Range behind the end is refused")
def test_a_range_behind_the_end_is_refused(desk: Desk, one: str) -> None:
    for said in BEHIND:
        reply = desk.get(f"{API}/{one}/audio", READER, f"Range: {said}")
        assert problem(reply, 416) == "The range begins behind the end of the file.", said
        assert reply.headers["content-range"] == f"bytes */{SIZE}"


@pytest.mark.scenario("recording-doors", "Range that can't be understood is ignored")
def test_a_range_that_can_not_be_understood_is_ignored(desk: Desk, one: str) -> None:
    for said in NONE:
        status, headers, body = get(desk, one, f"Range: {said}")
        assert (status, body) == (200, M4A), said
        assert "content-range" not in headers


@pytest.mark.scenario("recording-doors", "Range of another state is answered whole")
def test_a_range_of_another_state_is_answered_whole(desk: Desk, one: str) -> None:
    _, headers, _ = get(desk, one)
    ask = "Range: bytes=0-4"
    for said in (headers["etag"], headers["last-modified"]):
        assert get(desk, one, ask, f"If-Range: {said}")[0] == 206
    for said in ('"another"', f"W/{headers['etag']}", "Sat, 01 Jan 2000 00:00:00 GMT", "soon"):
        assert get(desk, one, ask, f"If-Range: {said}")[2] == M4A


def test_a_client_that_has_it_is_told_so(desk: Desk, one: str) -> None:
    _, headers, _ = get(desk, one)
    for said in (headers["etag"], f"W/{headers['etag']}", f'"x", {headers["etag"]}', "*"):
        status, told, body = get(desk, one, f"If-None-Match: {said}")
        assert (status, body) == (304, b"")
        assert told["etag"] == headers["etag"]
    assert get(desk, one, 'If-None-Match: "x"')[0] == 200


def test_a_range_of_an_empty_file_can_not_be() -> None:
    for said in ("bytes=0-", "bytes=-1"):
        with pytest.raises(Unsatisfiable):
            asked_for(Headers([("Range", said)]), 0, ETAG, 0)
    assert asked_for(Headers([("Range", "bytes=1-1")]), 2, ETAG, 0) == Range(1, 1, 2)


@pytest.mark.scenario("recording-doors", "File that is gone is said")
def test_a_file_that_is_gone_is_said(desk: Desk, one: str) -> None:
    [path] = (desk.house.data / "audio").rglob("*.m4a")
    path.unlink()
    assert problem(desk.get(f"{API}/{one}/audio"), 410)
    refused = desk.spoken.recordings.intake.take_refused(Meta(HTTP, "oga"), "too large")
    reply = desk.get(f"{API}/{refused.recording_id}/audio")
    assert problem(reply, 404) == "No file came with this recording."


def test_nothing_is_given_out_as_a_page(desk: Desk, one: str) -> None:
    """A row that came by another door may hold anything as its type."""
    for kind in ("text/html", "audio/x\r\nX-Evil: 1", None):
        at(desk, one, content_type=kind)
        assert get(desk, one)[1]["content-type"] == "audio/mp4"
    strange = send(desk, kind="audio/vnd.strange").json()["recording_id"]
    [path] = (desk.house.data / "audio").rglob(f"{strange}.*")
    path.rename(path.with_suffix(".html"))
    at(desk, strange, content_type="text/html", extension="html")
    assert get(desk, strange)[1]["content-type"] == "application/octet-stream"
