"""Arguments of a tool, read into what they mean."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import tzinfo
from typing import Any, NoReturn

from healthlog.base.errors import Refusal
from healthlog.mcp.tool import Schema
from healthlog.moment import day_text
from healthlog.span import Edge, Span, edge, local_date

TODAY, YESTERDAY = "today", "yesterday"


class BadArgument(Refusal):
    """An argument that can't be used; one sentence names it and what it must be."""


class Arguments:
    """What a tool was called with. Everything wrong is a BadArgument; so are, when this is made,
    names that are not `known`. None counts as not given: models fill in what they leave out."""

    def __init__(self, given: Mapping[str, Any], known: Collection[str]) -> None:
        self._given = {name: value for name, value in given.items() if value is not None}
        for name in self._given:
            if name not in known:
                raise BadArgument(
                    f"{name[:40]!r} is no argument of this tool; it takes {', '.join(known)}"
                )

    def has(self, name: str) -> bool:
        return name in self._given

    def text(self, name: str) -> str | None:
        """A text that is not blank; None if it isn't given."""
        value = self._given.get(name)
        if value is None:
            return None
        if not isinstance(value, str) or not value.strip():
            self.refuse(name, "must be a text that is not blank")
        return value.strip()

    def needed(self, name: str) -> str:
        """A text that must be there."""
        found = self.text(name)
        if found is None:
            self.refuse(name, "is missing")
        return found

    def choice(self, name: str, words: Sequence[str]) -> str:
        """One of `words`; it must be there."""
        found = self.needed(name)
        if found not in words:
            self.refuse(name, f"must be one of {', '.join(words)}")
        return found

    def texts(self, name: str) -> list[str] | None:
        """Some texts; one alone needs no list. None if they aren't given."""
        value = self._given.get(name)
        if value is None:
            return None
        found = [value] if isinstance(value, str) else value
        if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
            self.refuse(name, "must be a list of texts")
        return [one.strip() for one in found]

    def whole(self, name: str, usual: int, most: int) -> int:
        """A whole number from 1 to `most`."""
        value = self._given.get(name, usual)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
            self.refuse(name, f"must be a whole number from 1 to {most}")
        return value

    def span(self, zone: tzinfo, today: int) -> Span:
        """The stretch from `from`, which must be there, to `to`; dates are those of `zone`."""
        self.needed("from")
        found = Span(self._edge("from", zone, today), self._edge("to", zone, today))
        first, last = found.first, found.last
        if first is not None and last is not None and last.at_us <= first.at_us:
            self.refuse("to", "must be later than from; it is the first that is left out")
        return found

    def dates(self, today: int) -> tuple[int, int]:
        """The dates (days since 1970) from `from`, which must be there, to before `to`; without
        `to`, today is the last of them."""
        first = self.date("from", today)
        last = self.date("to", today) if self.has("to") else max(first, today) + 1
        if last <= first:
            self.refuse("to", "must be later than from; it is the first that is left out")
        return first, last

    def date(self, name: str, today: int) -> int:
        """A date, in days since 1970; it must be there."""
        value = self.needed(name)
        if value in (TODAY, YESTERDAY):
            return today - (value == YESTERDAY)
        try:
            return local_date(value)
        except ValueError:
            self.refuse(name, f"must be a date such as 2026-08-01, or {TODAY} or {YESTERDAY}")

    def refuse(self, name: str, what: str) -> NoReturn:
        raise BadArgument(f"{name} {what}")

    def _edge(self, name: str, zone: tzinfo, today: int) -> Edge | None:
        value = self.text(name)
        if value is None:
            return None
        try:
            is_word = value in (TODAY, YESTERDAY)
            return edge(day_text(self.date(name, today)) if is_word else value, zone)
        except ValueError:
            self.refuse(name, "must be a date such as 2026-08-01 or an RFC 3339 instant")


DATE: Schema = {"type": "string", "description": "a date (2026-08-01), today or yesterday"}
FROM: Schema = {**DATE, "description": "first day, included: a date, today or yesterday"}
TO: Schema = {**DATE, "description": "day after the last one; left out: up to today"}
FROM_TIME: Schema = {
    "type": "string",
    "description": "begin, included: a date (2026-08-01), today, yesterday or an RFC 3339 instant",
}
TO_TIME: Schema = {
    "type": "string",
    "description": "end, excluded: a date or an RFC 3339 instant; left out: everything since",
}


def limit(usual: int, most: int) -> Schema:
    """How many items there may be."""
    return {
        "type": "integer",
        "minimum": 1,
        "maximum": most,
        "description": f"items at most; {usual} if left out",
    }
