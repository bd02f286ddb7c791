"""The section `heartRateNotifications`: warnings of the watch."""

from __future__ import annotations

from healthlog.hae.identity import Dates, Element, Identity
from healthlog.records.record import HEART_NOTIFICATION, key_text
from healthlog.records.span import START
from healthlog.values import words

_UNKNOWN = "unknown"  # the documented shape doesn't say what it warns of


def identify(element: Element, dates: Dates) -> Identity:
    """By what it warns of, with its start."""
    warning = words(element.get("heartNotification")) or _UNKNOWN
    key = key_text(warning, dates.needed(element, START).at_ms)
    return Identity(HEART_NOTIFICATION, key, dates.span(HEART_NOTIFICATION, element))
