"""Columns of the lists, where they are given as CSV."""

from __future__ import annotations

from collections.abc import Sequence

from healthlog.formats import Column, columns

METRIC_COLUMNS = columns(
    "name", "unit", "layers", "first_at", "last_at", "points", "age_s", joined=["layers"]
)
POINT_COLUMNS = columns(
    *("metric", "layer", "at", "end", "day", "qty", "min", "avg", "max", "unit", "sources"),
    *("delivery_id", "extra", "flags"),
    measured=["qty", "min", "avg", "max"],
    joined=["sources", "flags"],
)
LATEST_COLUMNS = columns(
    *("metric", "value", "min", "max", "unit", "aggregate", "layer"),
    *("measured_at", "arrived_at", "age_s", "sources"),
    joined=["sources"],
)
WHY_COLUMNS = columns("delivery_id", "received_at", "verdict", "readings", "unreadable")
DELIVERY_COLUMNS = columns(
    *("delivery_id", "received_at", "automation_id", "automation_name", "aggregation", "period"),
    *("session_id", "bytes", "sha256", "parse_status", "layer", "layer_origin", "parser"),
    *("counts.received", "counts.new", "counts.changed", "counts.same", "counts.outdated"),
    *("counts.rejected", "counts.incomparable", "uncovered", "rejected"),
    *("failure.kind", "failure.message", "folded_at"),
)
GAP_COLUMNS = columns("metric", "kind", "from", "to", "missing", "export.first", "export.last")
RECORD_COLUMNS = columns(
    *("kind", "key", "start", "end", "day", "data", "derived", "flags", "delivery_ids"),
    joined=["flags", "delivery_ids"],
)

RECORDING_COLUMNS = columns(
    *("recording_id", "spoken_at", "source", "stage", "stage_since", "stop_reason"),
    *("duration_ms", "bytes", "language", "owner", "title", "summary", "topics", "beginning"),
    joined=["topics"],
)


def series_columns(fields: Sequence[str]) -> Sequence[Column]:
    """Columns of a series; of one that is measured by field, a column for each of its values."""
    values = [".".join((one, *of)) for one in ("value", "min", "max") for of in _each(fields)]
    rest = ("unit", "layer", "open", "sources")
    return columns("start", *values, *rest, measured=values, joined=["sources"])


def _each(fields: Sequence[str]) -> list[tuple[str, ...]]:
    return [(field,) for field in fields] or [()]
