"""What makes an element of a section the record it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from healthlog.hae.elements import FIRST_MS, Unfit
from healthlog.moment import Moments
from healthlog.records.span import Instant, Names, Span, instant, span
from healthlog.values import is_empty, words

Element = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Identity:
    """Kind and key of a record, its span, and which of its fields state nothing."""

    kind: str
    key: str
    span: Span
    silent: frozenset[str] = frozenset()


class Dates:
    """Reads the dates of the elements of one body. `latest_ms` is the last instant believed
    (None: the clock was in doubt, believe any); `moments` are remembered by their texts."""

    def __init__(self, latest_ms: int | None, moments: Moments | None = None) -> None:
        self._latest_ms = latest_ms
        self._moments = Moments() if moments is None else moments

    def span(self, kind: str, element: Element) -> Span:
        """Start and end of an element as far as they can be read; Unfit when they can't be
        believed."""
        found = span(kind, element, self._moments)
        for one in found:
            if one is not None:
                self._believe(one.at_ms)
        if found.start and found.end and found.end.at_ms < found.start.at_ms:
            raise Unfit("ends_before_start")
        return found

    def instant(self, element: Element, names: Names) -> Instant | None:
        return instant(element, names, self._moments)

    def needed(self, element: Element, names: Names) -> Instant:
        """An instant that belongs to the identity; Unfit says why there is none."""
        found = self.instant(element, names)
        if found is None:
            raise Unfit(self._fault(element, names))
        return found

    def _fault(self, element: Element, names: Names) -> str:
        sent = [element[name] for name in names if not is_empty(element.get(name))]
        if not sent:
            return "no_identity"
        try:
            self._moments[sent[0]]  # type: ignore[index]
        except (TypeError, ValueError):
            return "unreadable_date"
        return "date_without_time"

    def _believe(self, at_ms: int) -> None:
        if at_ms < FIRST_MS:
            raise Unfit("before_1900")
        if self._latest_ms is not None and at_ms > self._latest_ms:
            raise Unfit("future")


Identify = Callable[[Element, Dates], Identity]
"""How the elements of one section are identified; raises Unfit."""


def needed_words(element: Element, *names: str) -> str:
    """The first of these fields that holds words, blanks folded; Unfit when none does."""
    for name in names:
        found = words(element.get(name))
        if found is not None:
            return found
    raise Unfit("no_identity")


def id_of(element: Element) -> str | None:
    """The id an element was sent with, in upper case; None where it has none."""
    value = element.get("id")
    found = words(str(value)) if type(value) is int else words(value)
    return None if found is None else found.upper()
