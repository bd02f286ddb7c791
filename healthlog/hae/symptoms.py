"""The section `symptoms`: complaints, with or without an end."""

from __future__ import annotations

from healthlog.hae.identity import Dates, Element, Identity, needed_words
from healthlog.records.record import SYMPTOM, key_text
from healthlog.records.span import END, START


def identify(element: Element, dates: Dates) -> Identity:
    """By start, end, name."""
    return Identity(SYMPTOM, spell_key(element, dates), dates.span(SYMPTOM, element))


def spell_key(element: Element, dates: Dates) -> str:
    """Key of what has a name and lasts from a start to an end; without an end it ends as it
    begins."""
    start = dates.needed(element, START)
    end = dates.instant(element, END) or start
    return key_text(start.at_ms, end.at_ms, needed_words(element, "name"))
