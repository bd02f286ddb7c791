"""The section `stateOfMind`: emotions of a moment, moods of a day."""

from __future__ import annotations

from healthlog.hae.elements import Unfit
from healthlog.hae.identity import Dates, Element, Identity, id_of
from healthlog.records.record import STATE_OF_MIND


def identify(element: Element, dates: Dates) -> Identity:
    """By id."""
    own = id_of(element)
    if own is None:
        raise Unfit("no_identity")
    return Identity(STATE_OF_MIND, own, dates.span(STATE_OF_MIND, element))
