"""Causes in words, for the owner: when, which automation, what to look at; never what was sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from healthlog.base.clock import text_us
from healthlog.base.notify import Notice
from healthlog.journal.notices import Kept
from healthlog.notices.causes import DISK, FAILING, QUIET, REFUSED, WAITING, Cause
from healthlog.notices.rhythm import HOUR_US

_FEW_HOURS = 48
_KIB = 1024
_NAME = 60
_NO_NAME = "a sender without a name"

_TITLES: Mapping[str, str] = {
    QUIET: "nothing comes from the phone any more",
    FAILING: "deliveries fail",
    WAITING: "deliveries wait",
    REFUSED: "deliveries are refused",
    DISK: "the disk is nearly full",
}


def notice(tell: Sequence[Cause], over: Sequence[Kept], now_us: int) -> Notice:
    """One notice of all that is to be told."""
    said = [_SAYS[one.kind](one, now_us) for one in tell]
    said += [_ENDS[one.kind](one, now_us) for one in over]
    lines = [_sentence(one) for one in said]
    kinds = list(dict.fromkeys(one.kind for one in tell))
    if not kinds:
        title = "healthlog: all is well again" if len(over) > 1 else "healthlog: it is well again"
    elif len(kinds) == 1:
        title = f"healthlog: {_TITLES[kinds[0]]}"
    else:
        title = f"healthlog: {len(tell)} things need a look"
    return Notice(title, lines, urgent=bool(tell), members=_members(tell, over))


def trial() -> Notice:
    """What is sent to see whether notices arrive."""
    return Notice(
        "healthlog: a test",
        ["This is a test: notices of this log arrive here."],
        urgent=False,
        members={"causes": [], "over": [], "test": True},
    )


def standing(one: Kept) -> str:
    """What is wrong, in a few words."""
    said = _TITLES[one.kind]
    return _sentence(f"{_name(one)}: {said}" if one.kind in (QUIET, FAILING) else said)


def _sentence(said: str) -> str:
    return said[:1].upper() + said[1:]


def _members(tell: Sequence[Cause], over: Sequence[Kept]) -> dict[str, Any]:
    return {"causes": [_member(one) for one in tell], "over": [_member(one) for one in over]}


def _member(one: Cause | Kept) -> dict[str, Any]:
    return {"kind": one.kind, "name": one.name, "since": text_us(one.since_us)}


def _name(one: Cause | Kept) -> str:
    if one.name is None or not one.name.strip():
        return _NO_NAME
    return f"“{' '.join(one.name.split())[:_NAME]}”"


def _quiet(one: Cause, now_us: int) -> str:
    usual = f"; usually it is silent for {_time(one.usual_us)} at most" if one.usual_us else ""
    return f"{_name(one)} has sent nothing for {_time(now_us - one.since_us)}{usual}."


def _failing(one: Cause, now_us: int) -> str:
    times = "The last delivery" if one.number == 1 else f"The last {one.number} deliveries"
    since = _time(now_us - one.since_us)
    return f"{times} of {_name(one)} could not be taken ({one.word}), for {since} now."


def _waiting(one: Cause, now_us: int) -> str:
    return f"A delivery has waited for {_time(now_us - one.since_us)} to be taken in; see the log."


def _refused(one: Cause, _: int) -> str:
    return f"Deliveries are refused with status {one.number}: {one.word}."


def _disk(one: Cause, _: int) -> str:
    return f"{_size(one.number)} are left on the disk that the log is on."


def _quiet_over(one: Kept, now_us: int) -> str:
    return f"{_name(one)} sends again, after {_time(now_us - one.since_us)}."


def _failing_over(one: Kept, _: int) -> str:
    return f"Deliveries of {_name(one)} are taken again."


def _plainly_over(text: str) -> Callable[[Kept, int], str]:
    return lambda _, __: text


_SAYS: Mapping[str, Callable[[Cause, int], str]] = {
    QUIET: _quiet,
    FAILING: _failing,
    WAITING: _waiting,
    REFUSED: _refused,
    DISK: _disk,
}
_ENDS: Mapping[str, Callable[[Kept, int], str]] = {
    QUIET: _quiet_over,
    FAILING: _failing_over,
    WAITING: _plainly_over("Deliveries are taken in again."),
    REFUSED: _plainly_over("No delivery has been refused for a day."),
    DISK: _plainly_over("There is room on the disk again."),
}


def _time(us: int) -> str:
    hours = max(0, round(us / HOUR_US))
    if hours > _FEW_HOURS:
        return f"{round(hours / 24)} days"
    return "an hour" if hours == 1 else f"{hours} hours" if hours else "less than an hour"


def _size(size: int) -> str:
    mib = size / _KIB / _KIB
    return f"{mib / _KIB:.1f} GiB" if mib >= _KIB else f"{mib:.0f} MiB"
