"""Stretches of a series: short, without wide gaps, no instant cut in two."""

from __future__ import annotations

import pytest

from healthlog.mart.stretches import stretches
from healthlog.moment import DAY_MS, HOUR_MS, MINUTE_MS


@pytest.mark.parametrize(
    ("layer", "gap_ms", "cut"),
    [
        ("minute", HOUR_MS, False),
        ("minute", HOUR_MS + 1, True),
        ("raw", HOUR_MS, False),
        ("sample", HOUR_MS + 1, True),
        ("hour", 60 * HOUR_MS + 1, True),
        ("day", 60 * DAY_MS, False),
        ("year", 366 * DAY_MS, True),
    ],
)
def test_a_wide_gap_cuts_a_stretch(layer: str, gap_ms: int, cut: bool) -> None:
    at_ms = [0, 1, 1 + gap_ms, 2 + gap_ms]
    assert list(stretches(at_ms, layer)) == ([(0, 2), (2, 4)] if cut else [(0, 4)])


def test_stretches_are_short_and_never_cut_an_instant_in_two() -> None:
    at_ms = [n // 10 * MINUTE_MS for n in range(5_000)]
    found = list(stretches(at_ms, "minute"))
    assert found[0][0] == 0
    assert [end for _, end in found[:-1]] == [begin for begin, _ in found[1:]]
    assert found[-1][1] == len(at_ms)
    assert all(at_ms[end - 1] != at_ms[end] for _, end in found[:-1])
    assert max(end - begin for begin, end in found) < 300
    assert list(stretches([5] * 1_000, "raw")) == [(0, 1_000)]
    assert list(stretches([5], "raw")) == [(0, 1)]
