"""Parameters of an address: what they mean, which 400 a wrong one is."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from datetime import UTC, tzinfo
from urllib.parse import quote
from zoneinfo import ZoneInfo

import pytest

from healthlog.base.clock import parse_us, text_us
from healthlog.base.query import Query
from healthlog.base.web import Problem
from healthlog.params import Params, cursor_text

KNOWN = ("metric", "layer", "from", "to", "limit", "cursor", "format")


def params(raw: str) -> Params:
    return Params(Query(raw), KNOWN)


def refused(call: Callable[[], object]) -> str:
    """The sentence of the 400 that the call ends in."""
    with pytest.raises(Problem) as caught:
        call()
    assert caught.value.status == 400
    return caught.value.detail


def test_an_unknown_parameter_is_named() -> None:
    assert refused(lambda: params("metrik=x")) == "The parameter metrik is not known here."


@pytest.mark.parametrize("name", ["abcdefghijklmnop", "Secret-Token_123", "%3Cb%3E", "x" * 90])
def test_an_unknown_name_that_may_be_a_token_is_not_said_back(name: str) -> None:
    assert refused(lambda: params(f"{name}=1")) == "A parameter is not known here."


def test_a_repeated_parameter_is_named() -> None:
    assert "limit" in refused(lambda: params("limit=1&limit=1"))


def test_what_was_given_is_kept_for_the_next_page() -> None:
    assert params("metric=step_count&limit=2").given == {"metric": "step_count", "limit": "2"}


def test_a_text_is_trimmed() -> None:
    assert params("metric=+step_count+").text("metric") == "step_count"


@pytest.mark.parametrize("raw", ["", "metric=", "metric", "metric=+"])
def test_a_missing_text_is_named(raw: str) -> None:
    assert refused(lambda: params(raw).text("metric")) == "The parameter metric is missing."


def test_a_choice_is_one_of_the_words() -> None:
    assert params("layer=day").choice("layer", ("hour", "day")) == "day"
    assert params("").choice("layer", ("hour", "day")) is None


@pytest.mark.parametrize("value", ["fortnight", "Day", ""])
def test_a_wrong_choice_is_named_with_the_words(value: str) -> None:
    detail = refused(lambda: params(f"layer={value}").choice("layer", ("hour", "day")))
    assert detail == "The parameter layer must be one of hour, day."


def test_the_format_is_json_unless_given() -> None:
    assert params("").format() == "json"
    assert params("format=csv").format() == "csv"
    assert "format" in refused(params("format=xml").format)


@pytest.mark.parametrize(("raw", "limit"), [("", 1000), ("limit=1", 1), ("limit=10000", 10_000)])
def test_a_limit_is_1_to_10000(raw: str, limit: int) -> None:
    assert params(raw).limit() == limit


@pytest.mark.parametrize("value", ["0", "10001", "-1", "%2B5", "1e3", "5.0", "", "٥", "x"])
def test_any_other_limit_is_named(value: str) -> None:
    assert "limit" in refused(params(f"limit={value}").limit)


def test_a_span_goes_from_one_end_to_the_other() -> None:
    span = params("from=2026-05-03&to=2026-05-04T00%3A00%3A00Z").span(UTC)
    assert span.instants_us == (parse_us("2026-05-03T00:00:00Z"), parse_us("2026-05-04T00:00:00Z"))


@pytest.mark.parametrize("name", ["from", "to"])
@pytest.mark.parametrize("value", ["yesterday", "", "2026-05-03T07:00", "2026-02-30"])
def test_a_wrong_end_is_named(name: str, value: str) -> None:
    detail = refused(lambda: params(f"{name}={quote(value)}").span(UTC))
    assert detail == f"The parameter {name} must be an RFC 3339 instant or a date."


def test_a_cursor_comes_back_as_its_parts() -> None:
    text = cursor_text("p", -5, "day", 0)
    assert params(f"cursor={text}").cursor("p", int, str, int) == (-5, "day", 0)
    assert params("").cursor("p", int, str, int) is None


def test_a_cursor_needs_no_escape_in_an_address() -> None:
    text = cursor_text("m", "naïve/metric?x=1&y")
    assert quote(text, safe="") == text


def encoded(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value, separators=(",", ":")).encode()).decode()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "abc",
        "not a cursor",
        "%C3%A9",
        "a" * 5_000,
        encoded(5).rstrip("="),
        encoded([]).rstrip("="),
        encoded(["d", 1, "x"]).rstrip("="),  # of another list
        encoded(["p", 1]).rstrip("="),
        encoded(["p", 1, "x", 2]).rstrip("="),
        encoded(["p", "1", "x"]).rstrip("="),
        encoded(["p", True, "x"]).rstrip("="),
        encoded(["p", 1.0, "x"]).rstrip("="),
        encoded(["p", None, "x"]).rstrip("="),
        encoded(["p", 2**63, "x"]).rstrip("="),
        encoded(["p", -(2**63) - 1, "x"]).rstrip("="),
        encoded(["p", [1], "x"]).rstrip("="),
        encoded(["p", 1, "x"]).rstrip("=") + "====",  # the right one, spelled otherwise
        base64.urlsafe_b64encode(b'["p", 1, "x"]').decode().rstrip("="),
        base64.urlsafe_b64encode(b"[" * 700).decode().rstrip("="),
        base64.urlsafe_b64encode(b"\xff\xfe").decode().rstrip("="),
    ],
)
def test_a_cursor_that_no_answer_gave_is_named(text: str) -> None:
    detail = refused(lambda: params(f"cursor={quote(text)}").cursor("p", int, str))
    assert detail == "The parameter cursor is none that an answer gave."


def test_a_zone_is_known_by_its_name() -> None:
    assert zoned("tz=Europe/Berlin") == ZoneInfo("Europe/Berlin")
    assert zoned("") is UTC
    assert refused(lambda: zoned("tz=Atlantis")) == (
        "The parameter tz must be the name of a time zone."
    )


def zoned(raw: str) -> tzinfo:
    return Params(Query(raw), ("tz",)).zone("tz", UTC)


def test_an_instant_is_told_from_a_date() -> None:
    def when(raw: str) -> tuple[str, bool]:
        edge, is_date = Params(Query(raw), ("at",)).when("at", UTC)
        return text_us(edge.at_us), is_date

    assert when("at=2026-05-03") == ("2026-05-03T00:00:00.000000Z", True)
    assert when("at=2026-05-03T09:00:00Z") == ("2026-05-03T09:00:00.000000Z", False)
    assert refused(lambda: when("")) == "The parameter at is missing."
    assert refused(lambda: when("at=noon")) == (
        "The parameter at must be an RFC 3339 instant or a date."
    )


def test_a_list_may_have_another_usual_length() -> None:
    assert (params("").limit(20), params("limit=7").limit(20)) == (20, 7)
