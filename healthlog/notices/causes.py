"""What is worth a notice: silence, failures, a full disk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from healthlog.notices.rhythm import DAY_US, HOUR_US, Rhythm

QUIET, FAILING, WAITING, REFUSED, DISK = "quiet", "failing", "waiting", "refused", "disk"
KINDS = (QUIET, FAILING, WAITING, REFUSED, DISK)

REFUSALS: Mapping[int, str] = {413: "too large", 415: "no JSON"}
"""Statuses by which a phone that is set up wrong is refused, however often it tries."""

_SOON = 0.8
"""Whose silence is this share of what is due is told of together with one that is due: mostly it
is one phone."""

_ROOMY = 1.25  # so much more than little must be free before the disk counts as well again
_FAILED_ONCE_US, _WAITED_US, _REFUSED_US = HOUR_US, HOUR_US, DAY_US


@dataclass(frozen=True, slots=True)
class Cause:
    """One thing that is wrong: `key` tells it from all others, `name` is that of an automation.
    `since_us` is when it began, `usual_us` the pause that would have been usual, `number` and
    `word` are what else there is to tell."""

    key: str
    kind: str
    since_us: int
    name: str | None = None
    usual_us: int = 0
    number: int = 0
    word: str = ""


@dataclass(frozen=True, slots=True)
class Sender:
    """What is known of an automation: when it was heard last, for how long it has been silent
    while somebody listened, its rhythm as far as that was looked for; how many of its last
    deliveries failed in a row, since when, why."""

    automation_id: str
    name: str | None
    last_us: int
    silent_us: int = 0
    rhythm: Rhythm | None = None
    failed: int = 0
    failed_since_us: int = 0
    failure: str = ""


class Waiting(NamedTuple):
    """When the oldest delivery that waits came, and since when it has been seen to wait."""

    came_us: int
    seen_us: int


@dataclass(frozen=True, slots=True)
class Facts:
    """What was found at a look. `refused_us` is the last refusal by status; `free` and `low` are
    bytes of the disk, `free` None where that could not be measured."""

    now_us: int
    senders: Sequence[Sender] = ()
    waiting: Waiting | None = None
    refused_us: Mapping[int, int] = field(default_factory=dict)
    listening_since_us: int = 0
    free: int | None = None
    low: int = 0


@dataclass(frozen=True, slots=True)
class Judged:
    """What is wrong, and the keys of what was found to be well. Of what is in neither nothing can
    be said."""

    causes: tuple[Cause, ...]
    well: frozenset[str]


def judged(facts: Facts, known: Mapping[str, int]) -> Judged:
    """What a look found; `known` is since when what was found wrong before has been
    so, by its key."""
    causes: list[Cause] = []
    well: set[str] = set()
    found = (
        *_quiet(facts, known),
        *_failing(facts),
        *_waiting(facts, known),
        *_refused(facts),
        *_disk(facts),
    )
    for key, cause, is_well in found:
        if cause is not None:
            causes.append(cause)
        elif is_well:
            well.add(key)
    return Judged(tuple(causes), frozenset(well))


Finding = tuple[str, Cause | None, bool]
"""A key, what is wrong with it, whether it is well."""


def _quiet(facts: Facts, known: Mapping[str, int]) -> Iterator[Finding]:
    share = {one.automation_id: _share(one) for one in facts.senders}
    is_new = any(
        share[one.automation_id] > 1 and _key(QUIET, one) not in known for one in facts.senders
    )
    for one in facts.senders:
        key, is_due = _key(QUIET, one), share[one.automation_id] > 1
        # Its silence only grows: what was told of stays until it is heard again.
        stays = key in known and one.last_us <= known[key]
        joins = is_new and share[one.automation_id] > _SOON
        if is_due or joins or stays:
            usual_us = 0 if one.rhythm is None else one.rhythm.usual_us
            yield key, Cause(key, QUIET, one.last_us, one.name, usual_us), False
        else:
            yield key, None, True


def _share(one: Sender) -> float:
    return 0.0 if one.rhythm is None else one.silent_us / one.rhythm.patience_us


def _failing(facts: Facts) -> Iterator[Finding]:
    for one in facts.senders:
        key = _key(FAILING, one)
        again = one.failed > 1 or facts.now_us - one.failed_since_us > _FAILED_ONCE_US
        if one.failed and again:
            since_us = one.failed_since_us
            yield (
                key,
                Cause(key, FAILING, since_us, one.name, number=one.failed, word=one.failure),
                False,
            )
        else:
            yield key, None, not one.failed


def _waiting(facts: Facts, known: Mapping[str, int]) -> Iterator[Finding]:
    oldest = facts.waiting
    if oldest is None:
        yield WAITING, None, True
    elif facts.now_us - oldest.seen_us > _WAITED_US:
        yield WAITING, Cause(WAITING, WAITING, oldest.came_us), False
    else:
        # After a start the same one may wait again.
        yield WAITING, None, oldest.came_us > known.get(WAITING, 0)


def _refused(facts: Facts) -> Iterator[Finding]:
    for status, word in REFUSALS.items():
        key, last_us = f"{REFUSED}:{status}", facts.refused_us.get(status)
        if last_us is not None and facts.now_us - last_us < _REFUSED_US:
            yield key, Cause(key, REFUSED, last_us, number=status, word=word), False
        else:
            yield key, None, facts.now_us - facts.listening_since_us >= _REFUSED_US


def _disk(facts: Facts) -> Iterator[Finding]:
    if facts.free is None:
        return
    if facts.free < facts.low:
        yield DISK, Cause(DISK, DISK, facts.now_us, number=facts.free), False
    else:
        yield DISK, None, facts.free >= facts.low * _ROOMY


def _key(kind: str, one: Sender) -> str:
    return f"{kind}:{one.automation_id}"
