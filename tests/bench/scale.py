"""How much each part of the bench measures."""

from __future__ import annotations

from dataclasses import dataclass

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Scale:
    """`points` of a wide body, `small` and `wide` bytes of bodies posted, `huge` bytes of the
    widest; `stored` points whose bytes are counted; `bodies` of an archive; `standing` points of a
    store that is full; `posts` of a kind; `starts` of a service; `export` MiB of an export;
    a `crowd` of so many uploads and readers."""

    rounds: int = 9
    points: int = 16_001
    small: int = 100 * 1024
    wide: int = 1_700_000
    huge: int = 64 * _MIB
    stored: int = 100_000
    bodies: int = 116
    standing: int = 5_000_000
    posts: int = 200
    starts: int = 9
    export: int = 50
    crowd: int = 64


TINY = Scale(
    rounds=1,
    points=200,
    small=2_000,
    wide=4_000,
    huge=60_000,
    stored=200,
    bodies=3,
    standing=2_000,
    posts=2,
    starts=1,
    export=1,
    crowd=2,
)
"""Enough to see that everything runs."""
