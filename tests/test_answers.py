"""Answers as values: JSON, problems, the grammar of headers."""

from __future__ import annotations

import json
import math

import pytest

from healthlog.base.answers import PROBLEM_TYPE, Problem, Response, json_response, problem


def body_of(response: Response) -> bytes:
    assert isinstance(response.body, bytes)
    return response.body


def test_json_is_compact_utf_8() -> None:
    response = json_response({"name": "Zürich", "items": [1, None]})
    assert body_of(response) == '{"name":"Zürich","items":[1,null]}'.encode()
    assert (response.status, response.content_type) == (200, "application/json")


def test_json_keeps_status_with_headers() -> None:
    response = json_response([], 201, (("Location", "/a"),))
    assert (response.status, response.headers) == (201, (("Location", "/a"),))


def test_a_lone_surrogate_is_written_as_its_escape() -> None:
    assert json.loads(body_of(json_response("a\ud83d"))) == "a\ud83d"


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_what_json_does_not_know_is_no_answer(value: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        json_response({"qty": value})


def test_a_problem_is_what_rfc_9457_says() -> None:
    response = problem(404, "There is nothing here.")
    assert response.content_type == PROBLEM_TYPE
    assert json.loads(body_of(response)) == {
        "type": "about:blank",
        "title": "Not Found",
        "status": 404,
        "detail": "There is nothing here.",
    }


def test_a_problem_says_its_reason_to_the_log() -> None:
    assert problem(404, "There is nothing here.").reason == "There is nothing here."
    assert json_response(1).reason == ""


def test_a_problem_may_have_a_title_of_its_own() -> None:
    assert json.loads(body_of(problem(400, "So.", title="Mine")))["title"] == "Mine"


def test_a_raised_problem_carries_all_of_the_answer() -> None:
    raised = Problem(503, "Later.", (("Retry-After", "5"),))
    assert (raised.status, raised.detail, str(raised)) == (503, "Later.", "Later.")
    assert raised.headers == (("Retry-After", "5"),)


BAD_HEADERS: dict[str, tuple[str, str]] = {
    "line end in a value": ("A", "b\r\nSet-Cookie: c"),
    "LF in a value": ("A", "b\nc"),
    "CR in a value": ("A", "b\rc"),
    "LF at the end of a value": ("A", "b\n"),
    "NUL in a value": ("A", "b\0"),
    "control character in a value": ("A", "b\x1bc"),
    "DEL in a value": ("A", "b\x7f"),
    "space before a value": ("A", " b"),
    "space behind a value": ("A", "b "),
    "letter that is not ASCII": ("A", "é"),
    "other line separator": ("A", "b\u2028c"),
    "next line": ("A", "b\x85c"),
    "empty name": ("", "b"),
    "line end in a name": ("A\r\nB", "c"),
    "LF at the end of a name": ("A\n", "c"),
    "space in a name": ("A B", "c"),
    "colon in a name": ("A:", "b"),
    "second length": ("Content-Length", "5"),
    "second framing": ("transfer-encoding", "chunked"),
    "second connection": ("Connection", "keep-alive"),
    "second type": ("content-type", "text/html"),
    "second date": ("Date", "today"),
}


@pytest.mark.parametrize("name", BAD_HEADERS)
def test_a_bad_header_is_no_answer(name: str) -> None:
    with pytest.raises(ValueError, match=r"no (header|value)"):
        Response(200, b"", "text/plain", (BAD_HEADERS[name],))


@pytest.mark.parametrize("kind", ["text/html\r\nA: b", "text/html\n", "té", " text/html"])
def test_a_bad_content_type_is_no_answer(kind: str) -> None:
    with pytest.raises(ValueError, match="Content-Type"):
        Response(200, b"", kind)


@pytest.mark.parametrize("status", [0, 99, 299, 600, 1000])
def test_an_unknown_status_is_no_answer(status: int) -> None:
    with pytest.raises(ValueError, match="HTTPStatus"):
        Response(status, b"", "text/plain")


@pytest.mark.parametrize("value", ["", "a", "a b", "a\tb", 'attachment; filename="a.csv"'])
def test_good_headers_are_kept(value: str) -> None:
    assert Response(200, b"", "text/csv; charset=utf-8", (("X-A", value),)).headers[0][1] == value
