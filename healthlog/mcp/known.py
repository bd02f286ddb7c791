"""What is known of a metric that was asked for by name."""

from __future__ import annotations

import difflib
import sqlite3
from typing import Any

from healthlog.base.errors import Refusal
from healthlog.read import points


class UnknownMetric(Refusal):
    """There are no readings of such a metric, or none in such a unit."""


def require(connection: sqlite3.Connection, metric: str, now_us: int) -> dict[str, Any]:
    """First and last reading of a metric, and the age of the last one. UnknownMetric."""
    found = points.metric(connection, metric, now_us)
    if found is None:
        raise UnknownMetric(
            f"no reading of {metric[:60]} was ever recorded{_meant(connection, metric)}"
        )
    return {name: found[name] for name in ("first_at", "last_at", "age_s", "layers")}


def _meant(connection: sqlite3.Connection, metric: str) -> str:
    names = points.names(connection)
    contained = [name for name in names if metric.casefold() in name][:3]
    near = contained or difflib.get_close_matches(metric, names, n=3)
    if not near:
        return "; list_metrics tells the names there are"
    return f"; did you mean {' or '.join(near)}?"
