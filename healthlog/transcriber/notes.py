"""Which local day a recording belongs to."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo

from healthlog.transcriber.listing import spoken_within
from healthlog.transcriber.rows import Recording

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_US = 86_400_000_000
_WIDEST_US = 18 * 3_600_000_000


def spoken_on(connection: sqlite3.Connection, date: int, zone: tzinfo) -> Sequence[Recording]:
    """The recordings of a local date (days since 1970), in the order of their times. Where nobody
    told at which offset one was recorded, it is that of `zone`."""
    first_us, last_us = date * _DAY_US - _WIDEST_US, (date + 1) * _DAY_US + _WIDEST_US
    found = spoken_within(connection, first_us, last_us)
    return [one for one in found if local_day(one, zone) == date]


def local_day(recording: Recording, zone: tzinfo) -> int:
    """The local date of a recording, days since 1970."""
    at = _EPOCH + timedelta(microseconds=recording.spoken_at_us)
    offset = recording.recorded_offset_min
    shift = at.astimezone(zone).utcoffset() if offset is None else timedelta(minutes=offset)
    return (at + (shift or timedelta()) - _EPOCH) // timedelta(days=1)
