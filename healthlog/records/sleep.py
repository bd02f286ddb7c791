"""Whose sleep a record tells of, in which stage."""

from __future__ import annotations

from collections.abc import Mapping

from healthlog.hae.words import stage_of
from healthlog.reading import Sources
from healthlog.records.text import field_text
from healthlog.values import source_set, words

# Nights of 2021 name the devices of sleep apart from those of the time in bed.
_SOURCES = ("source", "sleepSource", "inBedSource")


def sources(fields: Mapping[str, object]) -> Sources:
    """The devices that a night or segment names."""
    return next((found for name in _SOURCES if (found := source_set(fields.get(name)))), ())


def stage_word(fields: Mapping[str, object]) -> str:
    """The stage of a segment as sent, blanks folded."""
    value = fields["value"]
    return words(value) or field_text(value) or ""


def stage(fields: Mapping[str, object]) -> str | None:
    """The stage of a segment, one of `hae.words.STAGES`; None for a word that nobody knows."""
    return stage_of(stage_word(fields))
