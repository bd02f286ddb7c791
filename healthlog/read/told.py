"""Which rows of days tell once more what another one tells, on which date they count."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from healthlog.mart.dictionary import DATE_ALONE
from healthlog.mart.offsets import Offsets
from healthlog.moment import DAY_MS, MINUTE_MS
from healthlog.series.line import Line, Word

Row = tuple[Any, ...]
"""A row as `read.shelf` selects it; `sub` is its date (days since 1970)."""

_SAID_BY, _OFFSET = 8, 10


def told_once(rows: Sequence[Row], lines: Sequence[Line]) -> list[Line]:
    """Rows of days without those that tell the bucket of another one again: of a date told with a
    time as well as without, the date alone counts only where the clock puts the others elsewhere,
    and then without them."""
    is_alone = [row[2] == DATE_ALONE for row in rows]
    told = list(zip(lines, is_alone, strict=True))
    dates = {line.date for line, alone in told if alone}
    timed = {line.date for line, alone in told if not alone and not line.elsewhere}
    return [line for line, alone in told if line.date not in dates or alone != (line.date in timed)]


def on_waking(
    rows: Iterable[Row],
    offsets: Offsets,
    ahead_min: int,
    words: Mapping[int, Word],
) -> list[Row]:
    """Rows of a night's metric on the dates of waking: in the offset that was named for that time,
    where none was in the one they were sent with.

    One instant may have been sent under two dates, as the phone wrote it in two zones: there the
    date answers that the clock has, else the one said last.
    """
    together: defaultdict[int, list[Row]] = defaultdict(list)
    found: list[Row] = []
    for row in rows:
        if row[2] == DATE_ALONE:
            found.append(row)
        else:
            together[row[0]].append(row)
    for at_ms, same in together.items():
        by_clock = offsets.named_min(at_ms)
        dates = {row[1] for row in same}
        if len(dates) > 1:
            date = None if by_clock is None else (at_ms + by_clock * MINUTE_MS) // DAY_MS
            if date not in dates:
                date = max(same, key=lambda row: words[row[_SAID_BY]])[1]
            same = [row for row in same if row[1] == date]  # noqa: PLW2901 - what is left of them
        for row in same:
            offset_min = (row[_OFFSET] or 0) if by_clock is None else by_clock
            waking = (at_ms + (offset_min + ahead_min) * MINUTE_MS) // DAY_MS
            found.append((at_ms, waking, *row[2:]))
    return found
