"""The metric `sleep_analysis`: nights as the phone sums them up, or single segments."""

from __future__ import annotations

from healthlog.hae.identity import Dates, Element, Identity
from healthlog.records.record import SLEEP, key_text
from healthlog.records.sleep import sources, stage, stage_word
from healthlog.records.span import END, SLEEP_END, SLEEP_START, START, is_segment
from healthlog.values import NotFinite, is_empty, number

TOTALS = ("totalSleep", "asleep", "core", "deep", "rem")
"""Fields by which a night says how long its sleep was."""


def identify(element: Element, dates: Dates) -> Identity:
    """A segment by start, end, stage, source; a night by start, end, sources. A night in which all
    totals are 0 states none of them: the phone sends such where it knows nothing."""
    joined = ",".join(sources(element))
    if is_segment(element):
        start, end = dates.needed(element, START), dates.needed(element, END)
        key = key_text(start.at_ms, end.at_ms, stage(element) or stage_word(element), joined)
        return Identity(SLEEP, key, dates.span(SLEEP, element))
    start, end = dates.needed(element, SLEEP_START), dates.needed(element, SLEEP_END)
    silent = frozenset(TOTALS if all(_is_nothing(element.get(name)) for name in TOTALS) else ())
    key = key_text(start.at_ms, end.at_ms, joined)
    return Identity(SLEEP, key, dates.span(SLEEP, element), silent)


def _is_nothing(value: object) -> bool:
    try:
        return is_empty(value) or number(value) == 0
    except NotFinite:
        return True
