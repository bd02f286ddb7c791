"""The table of sections: which reader takes which section of a body."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from healthlog.hae.envelope import sections
from healthlog.hae.metrics import Metrics, MetricsReader

METRICS = "metrics"

READ = frozenset((METRICS,))
"""What is read of a body: sections, and metrics that have a reader of their own (`metrics.NAME`).
Each stands in `coverage.LEARNED`, too."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A body read: its metrics, and the names of what no reader takes yet, as sent."""

    metrics: Metrics
    unread: frozenset[str]


def parse(body: bytes, latest_ms: int | None, check: Callable[[], None]) -> Parsed:
    """Read a body.

    `latest_ms` is the last instant believed (None: any); `check` is called now and then and may
    raise to end a reading that takes too long. Malformed when the body is no JSON object of the
    phone's kind.
    """
    reader = MetricsReader(latest_ms, check)
    unread: set[str] = set()
    for name, value in sections(body):
        check()
        if name in READ:
            reader.section(value)
        else:
            unread.add(name)
    return Parsed(reader.found, frozenset(unread | reader.found.unread))
