"""The section `medications`: one element for each dose, taken or not."""

from __future__ import annotations

from healthlog.hae.identity import Dates, Element, Identity, needed_words
from healthlog.records.record import MEDICATION, key_text
from healthlog.records.span import SCHEDULED, START

NAMES = ("displayText", "name")


def identify(element: Element, dates: Dates) -> Identity:
    """By name with the date it was scheduled for; a dose that wasn't scheduled, by its start."""
    name = needed_words(element, *NAMES)
    at = dates.instant(element, SCHEDULED) or dates.needed(element, (*START, *SCHEDULED))
    return Identity(MEDICATION, key_text(name, at.at_ms), dates.span(MEDICATION, element))
