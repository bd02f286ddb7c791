"""The pause before a failed recording is tried again."""

from __future__ import annotations

import hashlib

FIRST_S = 10.0
FACTOR = 3
CEILING_S = 3600.0
LONGEST_ASKED_S = 24 * 3600.0
"""What another side may ask for at most: the time in a stage ends it anyway."""

_JITTER = 0.2
_MICRO = 1_000_000


def pause_s(recording_id: str, attempts: int, least_s: float = 0.0) -> float:
    """Seconds after the `attempts`-th failure in a row (from 1): 10 · 3ⁿ up to an hour, at least
    `least_s`, and up to a fifth more.

    The addition parts recordings that failed together. It is derived from recording and attempt, so
    that it can be foretold, and comes after the ceiling, where all would meet again.
    """
    grown_s = min(FIRST_S * float(FACTOR) ** min(max(attempts, 1) - 1, 20), CEILING_S)
    base_s = max(grown_s, min(least_s, LONGEST_ASKED_S))
    drawn = hashlib.sha256(f"{recording_id} {attempts}".encode()).digest()[:4]
    return base_s * (1 + _JITTER * int.from_bytes(drawn, "big") / 2**32)


def pause_us(recording_id: str, attempts: int, least_s: float = 0.0) -> int:
    """The same in microseconds."""
    return round(pause_s(recording_id, attempts, least_s) * _MICRO)
