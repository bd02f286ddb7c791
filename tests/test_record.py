"""Values that travel about records."""

from __future__ import annotations

from healthlog.hae.parse import RECORDS
from healthlog.records.record import KINDS, key_text


def test_a_key_is_parts_joined_by_bars() -> None:
    assert key_text("Walking", 1_780_308_000_000, 0) == (
        "Walking|2026-06-01T10:00:00Z|1970-01-01T00:00:00Z"
    )


def test_milliseconds_of_a_key_are_kept() -> None:
    assert key_text(1_780_308_000_250) == "2026-06-01T10:00:00.250Z"


def test_every_section_but_one_has_a_kind_of_its_own() -> None:
    assert len(KINDS) == len(set(KINDS)) == len(RECORDS) + 1
