"""One row of the mart as a point object, in the shapes that no phone sends by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from healthlog.layer import LAYERS
from healthlog.mart.dictionary import DATE_ALONE
from healthlog.mart.offsets import Offsets
from healthlog.read.view import Row, Views, midnight_of
from tests.support.clock import FakeClock
from tests.support.reading import HOURS, Desk, open_desk, steps

NOON_MS = 1_780_308_000_000  # 2026-06-01T10:00:00Z
JUNE = 20_605  # 2026-06-01
HOUR_MS = 3_600_000


@pytest.fixture
def desk(data: Path, clock: FakeClock) -> Iterator[Desk]:
    with open_desk(data, clock) as desk:
        desk.send(steps(("2026-06-01 12:00:00 +0200", 1), ("2026-06-01 18:00:00 -0400", 1)), HOURS)
        yield desk


def row(layer: str, **columns: Any) -> Row:
    plain: dict[str, Any] = {
        "at_ms": NOON_MS,
        "place": LAYERS.index(layer),
        "sub": 0,
        "origin": 0,
        "n": 0,
        "qty": None,
        "min": None,
        "avg": None,
        "max": None,
        "label": '["count",["Watch"]]',
        "delivery_id": "D",
        "offset_min": None,
        "detail": None,
    }
    return Row(**{**plain, **columns})


def view(desk: Desk, layer: str, **columns: Any) -> dict[str, Any]:
    one = row(layer, **columns)
    return desk.mart.read(lambda c: Views("m", Offsets(c)).view(one, layer, []))


def test_a_sample_ends_after_its_length_in_the_offset_of_then(desk: Desk) -> None:
    found = view(desk, "sample", sub=12 * HOUR_MS)
    assert (found["at"], found["end"]) == (
        "2026-06-01T12:00:00+02:00",
        "2026-06-01T18:00:00-04:00",
    )


def test_a_sample_of_no_length_ends_where_it_begins(desk: Desk) -> None:
    found = view(desk, "sample")
    assert found["at"] == found["end"]


@pytest.mark.parametrize("layer", ["day", "week"])
def test_the_end_of_a_day_is_written_in_the_day_s_own_offset(desk: Desk, layer: str) -> None:
    start_ms, end_ms = NOON_MS - 10 * HOUR_MS, NOON_MS + 14 * HOUR_MS
    detail = f'{{"end":{end_ms},"start":{start_ms}}}'
    found = view(desk, layer, at_ms=start_ms, sub=JUNE, offset_min=330, detail=detail)
    assert (found["at"], found["end"], found["day"]) == (
        "2026-06-01T05:30:00+05:30",
        "2026-06-02T05:30:00+05:30",
        "2026-06-01",
    )


def test_a_day_that_came_in_z_has_its_offset_from_the_clock(desk: Desk) -> None:
    assert view(desk, "day", sub=JUNE)["at"] == "2026-06-01T12:00:00+02:00"


def test_numbers_are_written_as_short_as_they_are(desk: Desk) -> None:
    found = view(desk, "raw", qty=5.0, min=-0.5, avg=1e-7, max=1e300)
    assert repr([found[name] for name in ("qty", "min", "avg", "max")]) == (
        "[5, -0.5, 1e-07, 1e+300]"
    )


def test_flags_stand_last_and_only_where_there_are_some(desk: Desk) -> None:
    one = row("raw", qty=1.0)
    found = desk.mart.read(lambda c: Views("m", Offsets(c)).view(one, "raw", ["doubt"]))
    assert list(found)[-1] == "flags"
    assert "flags" not in view(desk, "raw", qty=1.0)


def test_a_date_alone_has_its_midnight_from_the_clock(desk: Desk) -> None:
    one = row("day", at_ms=JUNE * 24 * HOUR_MS, sub=JUNE, origin=DATE_ALONE)
    found = desk.mart.read(lambda c: midnight_of(one, Offsets(c)))
    assert (found.at_ms, found.offset_min) == (NOON_MS - 12 * HOUR_MS, 120)
