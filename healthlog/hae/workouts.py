"""The section `workouts`: of version 2, which have an id, or of version 1, which have none."""

from __future__ import annotations

from healthlog.hae.identity import Dates, Element, Identity, id_of, needed_words
from healthlog.records.record import WORKOUT, key_text
from healthlog.records.span import END, START


def identify(element: Element, dates: Dates) -> Identity:
    """By id; without one by name, start, end."""
    own = id_of(element)
    if own is not None:
        return Identity(WORKOUT, own, dates.span(WORKOUT, element))
    name = needed_words(element, "name")
    start, end = dates.needed(element, START), dates.needed(element, END)
    key = key_text(name, start.at_ms, end.at_ms)
    return Identity(WORKOUT, key, dates.span(WORKOUT, element))
