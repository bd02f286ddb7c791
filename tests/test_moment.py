"""Times as the phone writes them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime

import pytest

from healthlog.moment import DAY_MS, Moment, Moments, day_text, instant_text, parse

NNBSP, NBSP = "\u202f", "\u00a0"


def at(text: str) -> int:
    """Milliseconds of an ISO instant, by the standard library."""
    return round(datetime.fromisoformat(text).timestamp() * 1000)


def day(text: str) -> int:
    return (date.fromisoformat(text) - date(1970, 1, 1)).days


@pytest.mark.parametrize(
    ("text", "instant", "offset_min"),
    [
        ("2026-05-03 07:57:00 +0200", "2026-05-03T07:57:00+02:00", 120),
        ("2026-05-03 07:57:00 -0330", "2026-05-03T07:57:00-03:30", -210),
        ("2026-05-03 07:57:00 +00:00", "2026-05-03T07:57:00+00:00", 0),
        ("2026-05-03 07:57:00 +02", "2026-05-03T07:57:00+02:00", 120),
        ("2026-05-03 07:57 +0200", "2026-05-03T07:57:00+02:00", 120),
        ("2026-05-03T07:57:00.25+02:00", "2026-05-03T07:57:00.250+02:00", 120),
        ("2026-05-03T07:57:00,123456789+02:00", "2026-05-03T07:57:00.123+02:00", 120),
        ("2026-05-03T07:57:00Z", "2026-05-03T07:57:00+00:00", None),
        ("2026-05-03t07:57:00z", "2026-05-03T07:57:00+00:00", None),
        ("  2026-05-03 07:57:00 +0200\n", "2026-05-03T07:57:00+02:00", 120),
        ("1969-12-31 23:59:59 -0100", "1970-01-01T00:59:59+00:00", -60),
    ],
)
def test_a_time_with_offset_is_an_instant(text: str, instant: str, offset_min: int | None) -> None:
    moment = parse(text)
    assert (moment.at_ms, moment.offset_min) == (at(instant), offset_min)


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        (f"7:57:00{NNBSP}am", "07:57:00"),
        (f"7:57:00{NBSP}AM", "07:57:00"),
        ("07:57:00 Am", "07:57:00"),
        ("7:57:00am", "07:57:00"),
        ("7:57:00 a.m.", "07:57:00"),
        ("12:05:00 PM", "12:05:00"),
        ("12:05:00 am", "00:05:00"),
        ("12:00:00 am", "00:00:00"),
        ("11:59:59 p.m.", "23:59:59"),
        (f"1:05{NNBSP}pm", "13:05:00"),
    ],
)
def test_the_12_hour_form_is_read_with_any_blank(text: str, clock: str) -> None:
    moment = parse(f"2026-05-03 {text} +1000")
    assert moment.at_ms == at(f"2026-05-03T{clock}+10:00")
    assert moment.day == day("2026-05-03")


def test_a_date_alone_has_no_instant() -> None:
    assert parse("2026-05-03") == Moment(day("2026-05-03"), 0, None, None)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "yesterday",
        "2026-05-03 07:57:00",
        "2026-05-03T07:57:00",
        "2026-5-3",
        "2026-02-30",
        "2026-13-01 00:00:00 +0000",
        "0000-01-01 00:00:00 +0000",
        "2026-05-03 24:00:00 +0000",
        "2026-05-03 23:60:00 +0000",
        "2026-05-03 23:59:60 +0000",
        "2026-05-03 0:30:00 am +0000",
        "2026-05-03 13:30:00 pm +0000",
        "2026-05-03 07:57:00 +2400",
        "2026-05-03 07:57:00 +0260",
        "2026-05-03 07:57:00 +0200 x",
        "2026-05-03 +0200",
        "20260503T075700Z",
        "1777787820",
    ],
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the reason given to the owner is another one
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "9999-12-31 23:59:59 -1800",
        "9999-12-30",
        "9999-12-31",
        "0001-01-01 00:00:00 +1400",
        "0001-01-01T00:00:00Z",
        "0001-01-02",
    ],
)
def test_a_date_at_either_end_of_the_calendar_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="calendar"):
        parse(text)


def test_the_first_date_taken_can_be_written_in_any_offset() -> None:
    moment = parse("0001-01-03 00:00:00 +1800")
    assert moment.at_ms is not None
    assert instant_text(moment.at_ms, -18 * 60) == "0001-01-01T12:00:00-18:00"


def test_the_last_date_taken_can_be_written_in_any_offset() -> None:
    moment = parse("9999-12-29 23:59:59 -1800")
    assert moment.at_ms is not None
    assert instant_text(moment.at_ms, 18 * 60) == "9999-12-31T11:59:59+18:00"


def test_the_local_date_is_the_one_sent() -> None:
    assert parse("2026-05-03 23:30:00 -0700").day == day("2026-05-03")
    assert parse("2026-05-03T23:30:00Z").day == day("2026-05-03")


@pytest.mark.parametrize(
    ("clock", "nearest"),
    [
        ("00:00:00", "2026-05-03"),
        ("01:00:00", "2026-05-03"),
        ("11:59:59", "2026-05-03"),
        ("12:00:00", "2026-05-04"),
        ("23:00:00", "2026-05-04"),
    ],
)
def test_the_nearest_midnight_has_its_date(clock: str, nearest: str) -> None:
    assert parse(f"2026-05-03 {clock} +0200").nearest_day == day(nearest)


@pytest.mark.parametrize("value", [None, 5, True, 1.5, b"2026-05-03"])
def test_only_texts_are_remembered(value: object) -> None:
    with pytest.raises(ValueError, match="text"):
        Moments()[value]  # type: ignore[index]


def test_put_together_from_known_parts_a_time_is_the_same() -> None:
    moments = Moments()
    for text in ("2026-05-03 07:57:09 +0200", "2026-05-04 21:30:00 -0330"):
        moments[text]
    for date_, hour in (("2026-05-03", "07"), ("2026-05-04", "21")):
        for rest in ("57:09", "30:00"):
            for offset in ("+0200", "-0330"):
                text = f"{date_} {hour}:{rest} {offset}"
                assert moments[text] == parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "2026-05-03 07:57:09 +9900",
        "2026-05-03 07:57:60 +0200",
        "2026-05-32 07:57:09 +0200",
        "2026-05-03 07:57:09  0200",
        "2026-05-03T07:57:09 +0200",
        "2026-05-03 07:57:09+02:00",
        "2026-05-03 07:57:09 Z",
        "2026-05-03 7:57:09 +02:00",
        " 2026-05-03 7:57:09 +0200",
        "2026-05-03 07:57:09 PM +0200",
        "2026-05-03 07:57:09.5 +0200",
        "2026-05-03",
    ],
)
def test_known_parts_change_nothing_about_other_forms(text: str) -> None:
    moments = Moments()
    moments["2026-05-03 07:57:09 +0200"]
    assert read(lambda: moments[text]) == read(lambda: parse(text))


def read(how: Callable[[], Moment]) -> Moment | type[ValueError]:
    try:
        return how()
    except ValueError:
        return ValueError


def test_no_more_is_remembered_than_allowed() -> None:
    moments = Moments(most=3)
    texts = [f"2026-05-03 07:57:{second:02} +0200" for second in range(10)]
    assert [moments[text] for text in texts] == [parse(text) for text in texts]
    assert len(moments) <= 3


@pytest.mark.parametrize(
    ("at_ms", "offset_min", "text"),
    [
        (0, None, "1970-01-01T00:00:00Z"),
        (0, 0, "1970-01-01T00:00:00+00:00"),
        (1, None, "1970-01-01T00:00:00.001Z"),
        (-1, 330, "1970-01-01T05:29:59.999+05:30"),
        (0, -210, "1969-12-31T20:30:00-03:30"),
    ],
)
def test_an_instant_is_written_in_its_offset(at_ms: int, offset_min: int | None, text: str) -> None:
    assert instant_text(at_ms, offset_min) == text
    assert datetime.fromisoformat(text).astimezone(UTC).timestamp() * 1000 == at_ms


def test_a_day_is_written_as_a_date() -> None:
    assert day_text(parse("2026-05-03").day) == "2026-05-03"
    assert parse("2026-05-03T00:00:00Z").at_ms == parse("2026-05-03").day * DAY_MS
