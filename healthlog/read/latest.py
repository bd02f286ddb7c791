"""The latest value of each level or state: how old it is, when it was measured, when it came."""

from __future__ import annotations

import sqlite3

from healthlog.base.clock import text_us
from healthlog.layer import DATED, LAYERS
from healthlog.mart.offsets import Offsets
from healthlog.moment import instant_text
from healthlog.read.series import entry_of, series_of
from healthlog.read.shelf import MartShelf
from healthlog.reading import Sources
from healthlog.series.catalogue import SUM
from healthlog.series.line import Line, Word
from healthlog.series.measure import Measure
from healthlog.series.tally import Tally

_METRICS = "SELECT DISTINCT metric FROM series WHERE points > 0 ORDER BY metric"


def latest(connection: sqlite3.Connection, now_us: int) -> list[dict[str, object]]:
    """Latest values by the names of their metrics. Of an amount there is none: its latest reading
    is a piece of a day that goes on.

    Each has `value` (or `min` with `max`) in the canonical unit, `measured_at`, `arrived_at` of the
    delivery whose word it is, and `age_s`, the seconds since it was measured.
    """
    offsets = Offsets(connection)
    names = [metric for (metric,) in connection.execute(_METRICS).fetchall()]
    found = (_of_metric(connection, offsets, metric, now_us) for metric in names)
    return [one for one in found if one is not None]


def _of_metric(
    connection: sqlite3.Connection, offsets: Offsets, metric: str, now_us: int
) -> dict[str, object] | None:
    of_layers = series_of(connection, metric)
    known = entry_of(connection, metric, of_layers)
    if known.aggregate == SUM:
        return None
    numbers = {one.layer: one.number for one in of_layers}
    lines = MartShelf(connection, known, numbers, offsets).latest()
    layer, line = max(lines, key=_weight)
    measure, tally = Measure(known, known.unit), Tally()
    tally.add(line.unit, line.figures, line.at_ms, line.sources)
    [in_unit] = measure.of(tally)
    return {
        "metric": metric,
        "unit": in_unit.unit,
        "aggregate": known.aggregate,
        **measure.shown(in_unit),
        "layer": layer,
        "measured_at": instant_text(line.at_ms, _offset_min(layer, line, offsets)),
        "arrived_at": text_us(line.word.rank[1]),
        "age_s": max(0, now_us // 1_000_000 - line.at_ms // 1_000),
        "sources": list(line.sources),
    }


def _weight(found: tuple[str, Line]) -> tuple[int, int, Word, Sources]:
    """Of readings that begin together the finest counts, then the one said last."""
    layer, line = found
    return (line.at_ms, -LAYERS.index(layer), line.word, line.sources)


def _offset_min(layer: str, line: Line, offsets: Offsets) -> int:
    return line.offset_min if layer in DATED else offsets.offset_min(line.at_ms)
