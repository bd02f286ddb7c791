"""What has to be known of readings that are not held."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

from healthlog.layer import Times
from healthlog.moment import MINUTE_MS, Moment

LISTED = 1_000
"""So many elements of a body are named one by one, of those that are not taken."""

QUARTER_MS = 15 * MINUTE_MS
_OFFSETS = 4096


class Quarters:
    """Which quarters of an hour are named, with which offset, word after word."""

    def __init__(self) -> None:
        self._codes = array("q")

    def name(self, words: Iterable[tuple[int, int]]) -> None:
        """Take in instants (ms) and offsets (minutes) as they follow in the body."""
        codes = (at_ms // QUARTER_MS * _OFFSETS + offset_min for at_ms, offset_min in words)
        self._codes.extend(dict.fromkeys(codes))

    def offsets(self, quarters: int) -> dict[int, int]:
        """The offset of each quarter by the first word, where each word names so many."""
        half = _OFFSETS // 2
        # Backwards, so that the first word is the one that stays.
        pairs = (divmod(code + half, _OFFSETS) for code in reversed(self._codes))
        return {
            quarter + step: offset_min - half
            for quarter, offset_min in pairs
            for step in range(quarters)
        }


class Outline:
    """What has to be known of readings that are not held: when they are, which quarters of an hour
    they name, where the first of them stand."""

    def __init__(self) -> None:
        self.times = Times()
        self.quarters = Quarters()
        self.places: list[int] = []
        self.alone: list[int] = []
        self.count = self.count_alone = 0

    def add(
        self, moments: Sequence[Moment], at_ms: Sequence[int | None], places: Sequence[int]
    ) -> None:
        """Take in readings, at least one, in the order of the body."""
        self.count += len(moments)
        self.times.add(moments, at_ms)
        self.places += places[: LISTED - len(self.places)]
        alone = [at for at, one in zip(places, at_ms, strict=True) if one is None]
        self.count_alone += len(alone)
        self.alone += alone[: LISTED - len(self.alone)]
        self.quarters.name(
            (at_ms, offset_min)
            for _, _, at_ms, offset_min in moments
            if at_ms is not None and offset_min is not None
        )
