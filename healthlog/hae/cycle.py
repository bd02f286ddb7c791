"""The section `cycleTracking`: what is noted about a cycle."""

from __future__ import annotations

from healthlog.hae.identity import Dates, Element, Identity
from healthlog.hae.symptoms import spell_key
from healthlog.records.record import CYCLE


def identify(element: Element, dates: Dates) -> Identity:
    """By start, end, name."""
    return Identity(CYCLE, spell_key(element, dates), dates.span(CYCLE, element))
