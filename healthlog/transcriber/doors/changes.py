"""What a person wants changed about a recording, read from a JSON merge patch (RFC 7396)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from healthlog.base.http1 import Body
from healthlog.base.web import Problem
from healthlog.transcriber.edits import COLUMNS, LONGEST, TOPIC_MAX, TOPICS_MAX

BODY_MAX = 8 * 1024 * 1024

_MEDIA_TYPES = frozenset(("application/json", "application/merge-patch+json"))
# An unknown name is said back only if it is shorter than any token may be.
_HARMLESS = re.compile(r"[a-z][a-z_]{0,14}")


def changes_of(content_type: str | None, body: Body) -> dict[str, Any]:
    """The columns to be written with their values, None for none. Problem: 415, or a 400 that names
    every field that is wrong."""
    kind = (content_type or "").partition(";")[0].strip().lower()
    if kind not in _MEDIA_TYPES:
        raise Problem(415, "Changes are taken as application/merge-patch+json.")
    return checked(_object(b"".join(iter(body.read, b""))))


def checked(told: Mapping[str, Any]) -> dict[str, Any]:
    """The columns to be written with their values. Problem: a 400 that names every field that is
    wrong."""
    unknown = sorted(told.keys() - set(COLUMNS))
    if unknown:
        named = [name for name in unknown if _HARMLESS.fullmatch(name)]
        raise Problem(400, f"{_fields(named, len(unknown))} not to be changed here.")
    wrong = [name for name, value in told.items() if not _fits(name, value)]
    if wrong:
        raise Problem(400, f"{_fields(wrong, len(wrong))} wrong: {_wanted(wrong)}.")
    return {name: _value(name, told[name]) for name in told}


def _object(content: bytes) -> dict[str, Any]:
    try:
        told = json.loads(content, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise Problem(400, "The body is no JSON object.") from None
    if not isinstance(told, dict):
        raise Problem(400, "The body is no JSON object.")
    return told


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a member is given twice")
    return found


def _fits(name: str, value: object) -> bool:
    if value is None:
        return True
    if name == "topics":
        return (
            isinstance(value, list)
            and len(value) <= TOPICS_MAX
            and all(_is_text(one, TOPIC_MAX) and one.strip() for one in value)
        )
    return _is_text(value, LONGEST[name])


def _is_text(value: object, most: int) -> bool:
    """A text that can be stored: without NUL, without half a character."""
    if not isinstance(value, str) or len(value) > most or "\0" in value:
        return False
    return not any("\ud800" <= character <= "\udfff" for character in value)


def _value(name: str, value: Any) -> Any:
    """Blank is none, except for a correction: nothing may have been said."""
    if name == "topics":
        topics = tuple(dict.fromkeys(one.strip() for one in value or ()))
        return topics or None
    if name == "corrected_text" or value is None:
        return value
    return value.strip() or None


def _fields(names: Iterable[str], count: int) -> str:
    named = ", ".join(names)
    if not named:
        return "A field is" if count == 1 else "Some fields are"
    return f"The field {named} is" if count == 1 else f"The fields {named} are"


def _wanted(names: Iterable[str]) -> str:
    """What they have to be, each kind once."""
    said = [
        f"topics a list of at most {TOPICS_MAX} texts of 1 to {TOPIC_MAX} characters"
        if name == "topics"
        else f"{name} a text of at most {LONGEST[name]} characters"
        for name in names
    ]
    return ", ".join(said) + ", or null for none"
