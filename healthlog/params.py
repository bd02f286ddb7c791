"""Parameters of an address, read into what they mean."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Collection, Sequence
from datetime import tzinfo
from typing import Any, NoReturn

from healthlog.base.query import Query
from healthlog.base.web import Problem
from healthlog.setting_kinds import known_zone
from healthlog.span import LEAST, MOST, Edge, Span, edge, is_date

LIMIT, LIMIT_MAX = 1_000, 10_000
SWITCH = ("true", "false")
FORMATS = ("json", "csv", "ndjson")

_LIMIT = re.compile(r"[0-9]{1,5}")
CURSOR_MAX_CHARACTERS = 4_000


class Params:
    """The parameters of one request. Everything wrong is a 400 that names the parameter, never
    its value; so are, when this is made, names that are not `known`, and repeated ones."""

    def __init__(self, query: Query, known: Collection[str]) -> None:
        query.only(known)
        values = ((name, query.get(name)) for name in known)
        self.given = {name: value for name, value in values if value is not None}

    def text(self, name: str) -> str:
        """A text that must be there, not blank."""
        value = self.given.get(name, "").strip()
        if not value:
            raise Problem(400, f"The parameter {name} is missing.")
        return value

    def choice(self, name: str, words: Sequence[str]) -> str | None:
        """One of `words`; None if the parameter isn't given."""
        value = self.given.get(name)
        if value is not None and value not in words:
            _wrong(name, f"must be one of {', '.join(words)}")
        return value

    def switch(self, name: str) -> bool:
        """Whether something is wanted, as it is if nothing is said."""
        return self.choice(name, SWITCH) != SWITCH[1]

    def format(self) -> str:
        """How a list is to be written: one of FORMATS."""
        return self.choice("format", FORMATS) or FORMATS[0]

    def limit(self, usual: int = LIMIT) -> int:
        """How many items a list may have."""
        value = self.given.get("limit", str(usual))
        if _LIMIT.fullmatch(value) is None or not 1 <= int(value) <= LIMIT_MAX:
            _wrong("limit", f"must be a whole number from 1 to {LIMIT_MAX}")
        return int(value)

    def span(self, zone: tzinfo) -> Span:
        """The stretch from `from` to `to`; local dates are those of `zone`."""
        return Span(self._edge("from", zone), self._edge("to", zone))

    def zone(self, name: str, usual: tzinfo) -> tzinfo:
        """A time zone by its name; `usual` if none is given."""
        value = self.given.get(name)
        try:
            return usual if value is None else known_zone(value)
        except ValueError:
            _wrong(name, "must be the name of a time zone")

    def when(self, name: str, zone: tzinfo) -> tuple[Edge, bool]:
        """An instant or a date that must be there, and whether it is a date."""
        self.text(name)
        found = self._edge(name, zone)
        assert found is not None
        return found, is_date(self.given[name])

    def refuse(self, name: str, what: str) -> NoReturn:
        """The 400 that says what is wrong with a parameter."""
        _wrong(name, what)

    def _edge(self, name: str, zone: tzinfo) -> Edge | None:
        value = self.given.get(name)
        if value is None:
            return None
        try:
            return edge(value, zone)
        except ValueError:
            _wrong(name, "must be an RFC 3339 instant or a date")

    def cursor(self, kind: str, *shape: type, name: str = "cursor") -> tuple[Any, ...] | None:
        """The parts of a cursor that `cursor_text` made for a list of this kind, of these types;
        None if there is no cursor."""
        value = self.given.get(name)
        if value is None:
            return None
        parts = _parts(value, kind)
        if parts is None or len(parts) != len(shape) or not all(map(_fits, parts, shape)):
            no_such_cursor(name)
        return tuple(parts)


def cursor_text(kind: str, *parts: int | str) -> str:
    """A position in a list as callers are given it: nothing they need to understand."""
    text = json.dumps([kind, *parts], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def no_such_cursor(name: str = "cursor") -> NoReturn:
    """The 400 for a cursor that no answer gave."""
    _wrong(name, "is none that an answer gave")


def _wrong(name: str, what: str) -> NoReturn:
    raise Problem(400, f"The parameter {name} {what}.")


def _parts(text: str, kind: str) -> list[Any] | None:
    if len(text) > CURSOR_MAX_CHARACTERS:
        return None
    try:
        found = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, list) or not found or found[0] != kind:
        return None
    parts = found[1:]
    # Written again it must be the same text: base64 and JSON have many spellings of one thing.
    plain = all(type(part) in {int, str} for part in parts)
    return parts if plain and cursor_text(kind, *parts) == text else None


def _fits(part: object, wanted: type) -> bool:
    if type(part) is not wanted:
        return False
    return not isinstance(part, int) or LEAST <= part <= MOST
