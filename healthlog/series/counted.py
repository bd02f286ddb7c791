"""The answer of a day as a text: all that a longer bucket counts of it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from healthlog.base.errors import Damaged
from healthlog.base.stored import UNREADABLE, items
from healthlog.series.answer import Answer
from healthlog.series.buckets import midnight_ms
from healthlog.series.tally import Stat, Tally


def text_of(answer: Answer) -> str:
    """What `answer_of` makes the answer of a day of again, but for its layers and sources."""
    by_unit = [
        (unit, [_members(stat) for stat in stats]) for unit, stats in answer.tally.by_unit.items()
    ]
    members = (answer.last_ms, answer.offset_min, answer.spoke_at_us, answer.rank, by_unit)
    return json.dumps(members, ensure_ascii=False, separators=(",", ":"))


def answer_of(text: str, date: int, layers: Iterable[str], sources: Iterable[str]) -> Answer:
    """The answer of a date (days since 1970). Damaged."""
    try:
        last_ms, offset_min, spoke_at_us, rank, by_unit = items(text)
        said_at_us, received_at_us, delivery_id = rank
        tally = Tally(
            {unit: tuple(Stat(*members) for members in stats) for unit, stats in by_unit},
            {tuple(sources)},
        )
    except (ValueError, TypeError):
        # Not as a cause: its text quotes what was stored.
        raise Damaged(UNREADABLE) from None
    return Answer(
        date,
        midnight_ms(date + 1, offset_min),
        frozenset(layers),
        tally,
        (said_at_us, received_at_us, delivery_id),
        last_ms,
        offset_min,
        spoke_at_us,
    )


def _members(stat: Stat) -> tuple[Any, ...]:
    return (stat.values, stat.count, stat.low, stat.high, stat.last_ms, stat.last)
