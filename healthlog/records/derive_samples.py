"""From when the samples inside a record count their seconds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from healthlog.moment import DAY_MS
from healthlog.records.span import Span
from healthlog.values import number

EPOCHS_S: Mapping[int, int] = {1970: 0, 2001: 978_307_200}
"""Years from whose beginning (UTC) samples count their seconds, and that instant in seconds since
1970."""

_TIMES = ("date", "timestamp", "start")


def epoch(series: Sequence[object], span: Span) -> tuple[int | None, bool]:
    """The year that puts all samples of these series within a day of the record, and whether there
    are samples with such times at all. None where no year does, or nothing says when the record
    was."""
    times_s = [at_s for one in series for at_s in _times_s(one)]
    edges = [one.at_ms for one in span if one is not None]
    if not times_s or not edges:
        return None, bool(times_s)
    first_s, last_s = (min(edges) - DAY_MS) / 1000, (max(edges) + DAY_MS) / 1000
    for year, begin_s in EPOCHS_S.items():
        if first_s <= min(times_s) + begin_s and max(times_s) + begin_s <= last_s:
            return year, True
    return None, True


def _times_s(series: object) -> Iterator[float]:
    for sample in series if isinstance(series, list) else ():
        if isinstance(sample, dict):
            yield from _time_s(sample)


def _time_s(sample: Mapping[str, Any]) -> Iterator[float]:
    """The times of a sample that are numbers; those of a documented one stand in an object."""
    for name in _TIMES:
        value = sample.get(name)
        if isinstance(value, dict):
            yield from _time_s(value)
        at_s = number(value)
        if at_s is not None:
            yield at_s
