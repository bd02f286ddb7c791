"""The section `ecg`: electrocardiograms, which have no id."""

from __future__ import annotations

from healthlog.hae.identity import Dates, Element, Identity
from healthlog.records.record import ECG, key_text
from healthlog.records.span import START


def identify(element: Element, dates: Dates) -> Identity:
    """By start."""
    key = key_text(dates.needed(element, START).at_ms)
    return Identity(ECG, key, dates.span(ECG, element))
