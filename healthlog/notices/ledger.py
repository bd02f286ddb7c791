"""What has been told, so that each cause is told once until it is over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from healthlog.journal.notices import Kept
from healthlog.notices.causes import Cause, Judged


@dataclass(frozen=True, slots=True)
class Step:
    """What a look leads to: causes to be kept, keys to be forgotten without a word, causes to tell
    of, what to tell is over."""

    keep: tuple[Kept, ...]
    forget: tuple[str, ...]
    tell: tuple[Cause, ...]
    over: tuple[Kept, ...]


def step(known: Mapping[str, Kept], found: Judged) -> Step:
    """From what is known to what is to be done. What nothing can be said of stays as it is."""
    now = {cause.key for cause in found.causes}
    new = [cause for cause in found.causes if cause.key not in known]
    untold = [
        cause for cause in found.causes if cause.key not in known or not known[cause.key].told_us
    ]
    ended = [one for one in known.values() if one.key in found.well and one.key not in now]
    return Step(
        keep=tuple(Kept(one.key, one.kind, one.name, one.since_us) for one in new),
        forget=tuple(one.key for one in ended if one.told_us is None),
        tell=tuple(untold),
        over=tuple(one for one in ended if one.told_us is not None),
    )
