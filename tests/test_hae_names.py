"""Spellings of metric names."""

from __future__ import annotations

import pytest

from healthlog.hae.names import ALIASES, KNOWN, canonical_name
from healthlog.layer import DENSE, TRAPS


@pytest.mark.parametrize(
    ("sent_as", "name"),
    [
        ("step_count", "step_count"),
        ("Step_Count", "step_count"),
        (" step_count\u00a0", "step_count"),
        ("vo2max", "vo2_max"),
        ("VO2Max", "vo2_max"),
        (" VO2_Max ", "vo2_max"),
        ("stair_speed:_up", "stair_speed_up"),
        ("walking_heart_rate", "walking_heart_rate_average"),
        ("six-minute_walking_test_distance", "six_minute_walking_test_distance"),
        ("under_water_depth", "underwater_depth"),
        ("moonlight_exposure", "moonlight_exposure"),
        ("Moonlight Exposure", "Moonlight Exposure"),
        (" moonlight\u202fexposure ", "moonlight\u202fexposure"),
        ("\u00c4rger", "\u00c4rger"),
    ],
)
def test_a_metric_has_one_name(sent_as: str, name: str) -> None:
    assert canonical_name(sent_as) == name


def test_no_alias_leads_to_an_alias() -> None:
    assert not set(ALIASES.values()) & set(ALIASES)
    assert [alias for alias in ALIASES if canonical_name(alias) != ALIASES[alias]] == []


def test_metrics_with_rules_of_their_own_go_by_their_canonical_name() -> None:
    assert {name: canonical_name(name) for name in DENSE | TRAPS} == {
        name: name for name in DENSE | TRAPS
    }


def test_every_alias_leads_to_a_known_name() -> None:
    assert set(ALIASES.values()) - KNOWN == set()


def test_known_names_are_their_own_canonical_name() -> None:
    assert {canonical_name(name.upper()) for name in KNOWN} == set(KNOWN)
