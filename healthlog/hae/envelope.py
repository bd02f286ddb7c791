"""The outermost shape of a body: bytes to named sections."""

from __future__ import annotations

import json
import re

from healthlog.base.errors import Refusal
from healthlog.hae.depth import nests_too_deep
from healthlog.values import is_empty

SECTIONS = (
    "metrics",
    "workouts",
    "stateOfMind",
    "medications",
    "symptoms",
    "cycleTracking",
    "ecg",
    "heartRateNotifications",
)
"""The sections the phone is known to send."""

Section = tuple[str, object]
"""Name as sent and contents; one name may come twice (in `data` and beside it)."""

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


class Malformed(Refusal):
    """The body is no JSON object of the phone's kind."""


def sections(body: bytes) -> list[Section]:
    """The non-empty sections of a body, in the order of the body.

    They are the members of `data`; without `data`, those of the body itself (other senders drop
    the wrapper). Known sections beside `data` count too (bodies of 2021). Of equal keys in one
    object the last counts. NaN and Infinity are read. Malformed says what is wrong, without
    quoting the body.
    """
    top = _decoded(body)
    if not isinstance(top, dict):
        raise Malformed("the body is no JSON object")
    if "data" not in top:
        return [(name, value) for name, value in top.items() if not is_empty(value)]
    data = top["data"]
    if data is None or data == []:
        data = {}
    if not isinstance(data, dict):
        raise Malformed("`data` is no JSON object")
    found: list[Section] = []
    for name, value in top.items():
        if name == "data":
            found += data.items()
        elif name in SECTIONS:
            found.append((name, value))
    return [(name, value) for name, value in found if not is_empty(value)]


def _decoded(body: bytes) -> object:
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Malformed(f"the body is not UTF-8 at byte {error.start}") from None
    if nests_too_deep(body):
        raise Malformed("the body nests too deep")
    try:
        value: object = json.loads(text)
    except json.JSONDecodeError as error:
        raise Malformed(f"the body is no JSON: {error.msg} at character {error.pos}") from None
    except ValueError:
        raise Malformed("the body holds a number too long to read") from None
    if _SURROGATE.search(body) and _has_lone_surrogate(value):
        raise Malformed("the body holds half of a surrogate pair")
    return value


def _has_lone_surrogate(value: object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False
