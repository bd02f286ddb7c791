"""The clock's texts, read and written."""

from __future__ import annotations

import pytest

from healthlog.base.clock import SystemClock, parse_us, text_ms, text_us

NOON_US = 1_785_657_702_123_456


def test_an_instant_is_written_in_microseconds() -> None:
    assert text_us(NOON_US) == "2026-08-02T08:01:42.123456Z"


def test_an_instant_is_written_in_milliseconds_without_rounding_up() -> None:
    assert text_ms(NOON_US + 543) == "2026-08-02T08:01:42.123Z"


def test_a_whole_second_keeps_its_zeros() -> None:
    assert (text_us(0), text_ms(0)) == ("1970-01-01T00:00:00.000000Z", "1970-01-01T00:00:00.000Z")


def test_an_instant_before_1970_is_written() -> None:
    assert text_us(-1) == "1969-12-31T23:59:59.999999Z"


@pytest.mark.parametrize("us", [10**18, -(10**18), 10**30])
def test_an_instant_out_of_range_has_no_text(us: int) -> None:
    with pytest.raises(ValueError, match="years 1 to 9999"):
        text_us(us)


@pytest.mark.parametrize(
    "text",
    [
        "2026-08-02T08:01:42.123456Z",
        "2026-08-02t08:01:42.123456z",
        "2026-08-02 08:01:42.123456Z",
        "2026-08-02T10:01:42.123456+02:00",
        "2026-08-02T03:31:42.123456-04:30",
        "2026-08-02T08:01:42.123456789Z",
        "2026-08-02T08:01:42.123456-00:00",
    ],
)
def test_one_instant_is_read_in_every_spelling(text: str) -> None:
    assert parse_us(text) == NOON_US


def test_a_short_fraction_is_a_decimal_one() -> None:
    assert parse_us("1970-01-01T00:00:00.5Z") == 500_000


@pytest.mark.parametrize(
    "us", [0, 1, -1, NOON_US, 253_402_300_799_999_999, -62_135_596_800_000_000]
)
def test_what_is_written_is_read_back(us: int) -> None:
    assert parse_us(text_us(us)) == us


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-08-02",
        "2026-08-02T08:01:42",
        "2026-08-02T08:01Z",
        "2026-08-02T08:01:42.Z",
        "2026-08-02T08:01:42+0200",
        "2026-08-02T08:01:42+24:00",
        "2026-08-02T08:01:42+02:60",
        "2026-02-30T08:01:42Z",
        "2026-08-02T24:00:00Z",
        "2026-12-31T23:59:60Z",
        "2026-08-02T08:01:42Z\n",
        " 2026-08-02T08:01:42Z",
        "２０２６-08-02T08:01:42Z",
        "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59-01:00",
        "20260802T080142Z",
    ],
)
def test_what_is_no_instant_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"RFC 3339|range|year|must be in"):
        parse_us(text)


def test_the_system_clock_counts_microseconds() -> None:
    # Between 2020 and 2100: a wrong unit would miss both by far.
    assert (
        parse_us("2020-01-01T00:00:00Z") < SystemClock().now_us() < parse_us("2100-01-01T00:00:00Z")
    )


def test_the_monotonic_clock_never_goes_back() -> None:
    clock = SystemClock()
    readings = [clock.monotonic() for _ in range(1000)]
    assert readings == sorted(readings)
