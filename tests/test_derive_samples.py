"""From when samples count their seconds."""

from __future__ import annotations

import pytest

from healthlog.records.derive_samples import EPOCHS_S, epoch
from healthlog.records.span import Instant, Span

START_S = 1_777_966_153
RECORD = Span(Instant(START_S * 1000, 120), Instant((START_S + 30) * 1000, 120))
DAY_S = 86_400


def at(*times: object, year: int = 1970) -> list[dict[str, object]]:
    return [
        {"date": one - EPOCHS_S[year] if isinstance(one, int | float) else one} for one in times
    ]


@pytest.mark.parametrize("year", [1970, 2001])
def test_the_epoch_is_the_one_that_falls_inside(year: int) -> None:
    assert epoch([at(START_S + 1.5, START_S + 2, year=year)], RECORD) == (year, True)


@pytest.mark.parametrize("edge", [-DAY_S, 30 + DAY_S])
def test_a_day_around_the_record_is_inside(edge: int) -> None:
    assert epoch([at(START_S, START_S + edge)], RECORD) == (1970, True)
    beyond = edge + (1 if edge > 0 else -1)
    assert epoch([at(START_S, START_S + beyond)], RECORD) == (None, True)


def test_milliseconds_fall_inside_of_neither() -> None:
    assert epoch([at(START_S * 1000)], RECORD) == (None, True)


def test_every_series_has_its_say() -> None:
    assert epoch([at(START_S), at(START_S, year=2001)], RECORD) == (None, True)


@pytest.mark.parametrize("series", [None, [], 5, "x", [5], [{"date": "2026-05-05"}], [{"x": 1}]])
def test_without_numbers_there_is_no_epoch(series: object) -> None:
    assert epoch([series], RECORD) == (None, False)


@pytest.mark.parametrize("name", ["date", "timestamp", "start"])
def test_a_time_may_stand_under_other_names(name: str) -> None:
    assert epoch([[{name: START_S}]], RECORD) == (1970, True)
    assert epoch([[{"timestamp": {name: START_S}}]], RECORD) == (1970, True)


def test_a_record_may_have_no_end_or_no_times_at_all() -> None:
    assert epoch([at(START_S)], Span(RECORD.start, None)) == (1970, True)
    assert epoch([at(START_S)], Span(None, None)) == (None, True)
