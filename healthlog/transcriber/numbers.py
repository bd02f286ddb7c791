"""How many recordings stand where, for how long: for Prometheus, for pages."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from healthlog.transcriber.stages import NAMES, working_list


@dataclass(frozen=True, slots=True)
class Numbers:
    """`by_stage` are recordings that aren't stopped, `longest_s` the longest that one of them has
    stood at a stage with work to do, `overdue_s` the longest that a claim outlived its lease."""

    by_stage: dict[str, int]
    stopped: int
    longest_s: dict[str, float]
    overdue_s: float


def numbers(connection: sqlite3.Connection, now_us: int) -> Numbers:
    """Counted now."""
    counted = connection.execute(
        "SELECT stage, count(*), min(stage_since_us) FROM recording"
        " WHERE stopped_at_us IS NULL GROUP BY stage"
    ).fetchall()
    by_stage = dict.fromkeys(NAMES, 0) | {stage: count for stage, count, _ in counted}
    longest = {
        stage: max(0, now_us - since_us) / 1_000_000
        for stage, _, since_us in counted
        if f"'{stage}'" in working_list()
    }
    (stopped,) = connection.execute(
        "SELECT count(*) FROM recording WHERE stopped_at_us IS NOT NULL"
    ).fetchone()
    (oldest_us,) = connection.execute(
        "SELECT min(claim_until_us) FROM recording"
        f" WHERE claim IS NOT NULL AND stopped_at_us IS NULL AND stage IN ({working_list()})"
    ).fetchone()
    overdue_s = 0.0 if oldest_us is None else max(0, now_us - oldest_us) / 1_000_000
    return Numbers(by_stage, stopped, longest, overdue_s)
