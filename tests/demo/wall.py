"""Times of a local day as the phone writes them."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, tzinfo

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_S = 86_400


class Wall:
    """The clock on the wall for one day. Times are seconds since its midnight, as they passed:
    on the day of a clock change one hour of the wall is missing or comes twice."""

    def __init__(self, day: date, zone: tzinfo) -> None:
        self.day = day
        self._zone = zone
        begin = datetime.combine(day, time(), zone)
        end = datetime.combine(day + timedelta(days=1), time(), zone)
        self._begin = begin.astimezone(UTC)
        # Nearly every day has one offset: its texts are put together without asking the zone.
        self._offset = f"{begin:%z}" if begin.utcoffset() == end.utcoffset() else None

    def text(self, second: int) -> str:
        """`2026-08-01 09:30:00 +0200`."""
        if self._offset is not None and 0 <= second < _DAY_S:
            minute, left = divmod(second, 60)
            return f"{self.day} {minute // 60:02}:{minute % 60:02}:{left:02} {self._offset}"
        local = (self._begin + timedelta(seconds=second)).astimezone(self._zone)
        return f"{local:%Y-%m-%d %H:%M:%S %z}"

    def utc(self, second: int) -> str:
        """`2026-08-01T07:30:00Z`, which the phone writes for states of mind alone."""
        return f"{self._begin + timedelta(seconds=second):%Y-%m-%dT%H:%M:%SZ}"

    def us(self, second: int) -> int:
        """Microseconds since 1970 UTC."""
        return (self._begin - _EPOCH) // timedelta(microseconds=1) + second * 1_000_000
