"""Ends of stretches of time: instants, local dates, what each means for the other."""

from __future__ import annotations

from datetime import UTC
from zoneinfo import ZoneInfo

import pytest

from healthlog.base.clock import parse_us, text_us
from healthlog.moment import DAY_MS, day_text
from healthlog.span import LEAST, MOST, Edge, Span, edge, is_date, local_date

BERLIN = ZoneInfo("Europe/Berlin")


def test_an_instant_is_taken_with_its_offset() -> None:
    assert edge("2026-05-03T09:00:00+02:00", UTC).at_us == parse_us("2026-05-03T07:00:00Z")


@pytest.mark.parametrize(
    "text",
    ["2026-05-03T09:00:00 02:00", "2026-05-03T09:00:00.000 02:00", "2026-05-03 09:00:00 02:00"],
)
def test_a_plus_that_was_not_escaped_is_understood(text: str) -> None:
    assert edge(text, UTC).at_us == parse_us("2026-05-03T07:00:00Z")


def test_a_blank_between_date_and_time_stays_one() -> None:
    assert edge("2026-05-03 09:00:00Z", UTC).at_us == parse_us("2026-05-03T09:00:00Z")


def test_a_date_is_its_first_instant_in_the_zone() -> None:
    found = edge("2026-05-03", BERLIN)
    assert (text_us(found.at_us), day_text(found.day)) == (
        "2026-05-02T22:00:00.000000Z",
        "2026-05-03",
    )


def test_what_was_named_by_its_date_is_told_from_an_instant() -> None:
    assert edge("2026-05-03", BERLIN).dated
    assert not edge("2026-05-03T00:00:00+02:00", BERLIN).dated


def test_a_date_whose_midnight_is_skipped_begins_where_the_clocks_jump() -> None:
    found = edge("2022-09-11", ZoneInfo("America/Santiago"))
    assert text_us(found.at_us) == "2022-09-11T04:00:00.000000Z"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-05-03T00:00:00+02:00", "2026-05-03"),
        ("2026-05-03T00:00:00-05:00", "2026-05-03"),
        ("2026-05-02T22:00:00Z", "2026-05-03"),  # a midnight of the zone
        ("2026-05-03T00:00:00Z", "2026-05-04"),  # two o'clock there
        ("2026-05-03T12:00:00+02:00", "2026-05-04"),
        ("2026-05-03T00:00:00.000001+02:00", "2026-05-04"),
    ],
)
def test_an_instant_within_a_day_leaves_that_date_behind(text: str, day: str) -> None:
    assert day_text(edge(text, BERLIN).day) == day


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2026-05",
        "2026-13-01",
        "2026-02-29",
        "2026-05-03T07:00:00",
        "2026-05-03 07:00",
        "0000-01-01",
        "0001-01-01T00:00:00+23:59",
        "9999-12-31T23:59:59-23:59",
        "٢٠٢٦-٠٥-٠٣",
    ],
)
def test_what_is_neither_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        edge(text, BERLIN)


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "America/Los_Angeles"])
@pytest.mark.parametrize(
    "text", ["0001-01-01", "9999-12-31", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"]
)
def test_the_ends_of_the_calendar_may_stand_for_always(text: str, zone: str) -> None:
    found = edge(text, ZoneInfo(zone))
    assert LEAST < found.at_us < MOST
    assert abs(found.at_us - found.day * DAY_MS * 1_000) <= 2 * DAY_MS * 1_000


def test_milliseconds_begin_behind_a_fraction_of_one() -> None:
    assert Edge(1_000, 0).at_ms == 1
    assert Edge(1_001, 0).at_ms == 2
    assert Edge(-1, 0).at_ms == 0


def test_an_open_span_has_all_there_is() -> None:
    assert Span().instants_us == (None, None)
    assert Span().instants_ms == Span().dates_ms == (LEAST, MOST)


def test_a_span_bounds_instants_next_to_dates() -> None:
    span = Span(Edge(1_500, 10), Edge(2_000_000, 12))
    assert span.instants_us == (1_500, 2_000_000)
    assert span.instants_ms == (2, 2_000)
    assert span.dates_ms == (10 * DAY_MS, 12 * DAY_MS)


def test_a_date_is_told_from_an_instant() -> None:
    assert is_date("2026-05-03")
    assert not is_date("2026-05-03T00:00:00Z")


def test_a_local_date_is_read() -> None:
    assert day_text(local_date("2026-05-03")) == "2026-05-03"
    for text in ("2026-05-03T00:00:00Z", "20260503", "2026-02-30", "2026-W18-7", ""):
        with pytest.raises(ValueError, match=r"date|day"):
            local_date(text)
