"""The canonical text of a record's field."""

from __future__ import annotations

import json
from typing import Any

from healthlog.moment import Moments
from healthlog.values import is_empty, shortest, source_set, words

_TIMES = ("date", "timestamp", "start")
_SOURCES = frozenset(("source", "sleepSource", "inBedSource"))
_NOTHING = "null"
_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


def field_text(value: object) -> str | None:
    """JSON of a value with sorted keys, no blanks and shortest numbers, nothing left out of it;
    None for what says nothing: null, blank, [] or {}, a number that no double holds."""
    if is_empty(value):
        return None
    text = _encode(_settled(value))
    return None if text == _NOTHING else text


def series_length(value: object) -> int | None:
    """How many samples a value holds: objects that carry a time. None where it is no series."""
    if not isinstance(value, list):
        return None
    return sum(map(_is_sample, value)) or None


def meaning(name: str, text: str) -> str:
    """What a field says, however it is spelled: instants without their offset, sources in any
    order, blanks folded, nothing that is empty."""
    return _encode(_meant(name, json.loads(text), Moments()))


def _is_sample(value: object) -> bool:
    return isinstance(value, dict) and any(value.get(key) is not None for key in _TIMES)


def _settled(value: object) -> Any:
    if isinstance(value, dict):
        return {key: _settled(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_settled(member) for member in value]
    if isinstance(value, bool):
        return value
    if isinstance(value, float):
        return shortest(value)
    if isinstance(value, int):
        return _whole(value)
    return value


def _whole(value: int) -> int | float | None:
    """An integer; one that a double holds exactly is spelled as that double would be."""
    try:
        double = float(value)
    except OverflowError:
        return None
    return shortest(double) if int(double) == value else value


def _meant(name: str, value: object, moments: Moments) -> Any:
    if isinstance(value, dict):
        meant = {key: _meant(key, member, moments) for key, member in value.items()}
        return {key: member for key, member in meant.items() if not is_empty(member)}
    if isinstance(value, list):
        return [_meant(name, member, moments) for member in value]
    if not isinstance(value, str):
        return value
    if name in _SOURCES:
        return list(source_set(value))
    try:
        at_ms = moments[value].at_ms
    except ValueError:
        at_ms = None
    return words(value) if at_ms is None else f"@{at_ms}"
