"""The table of metrics: which add up, which are averaged, of which the last counts."""

from __future__ import annotations

import pytest

from healthlog.hae.elements import FIELD_SHAPES
from healthlog.hae.names import canonical_name
from healthlog.layer import DENSE, TRAPS
from healthlog.series.catalogue import AVG, KNOWN, LAST, SUM, Entry, entry


@pytest.mark.parametrize(
    ("name", "aggregate", "unit"),
    [
        ("step_count", SUM, "count"),
        ("active_energy", SUM, "kcal"),
        ("walking_running_distance", SUM, "km"),
        ("apple_stand_hour", SUM, "count"),
        ("dietary_water", SUM, "mL"),
        ("insulin_delivery", SUM, "IU"),
        ("handwashing", SUM, "s"),
        ("heart_rate", AVG, "count/min"),
        ("blood_glucose", AVG, "mg/dL"),
        ("walking_speed", AVG, "km/hr"),
        ("body_temperature", AVG, "degC"),
        ("vo2_max", AVG, "ml/(kg·min)"),
        ("breathing_disturbances", AVG, "count"),
        ("weight_body_mass", LAST, "kg"),
        ("body_mass_index", LAST, "count"),
        ("body_fat_percentage", LAST, "%"),
    ],
)
def test_a_known_metric_has_its_function(name: str, aggregate: str, unit: str) -> None:
    # Whatever the unit it is sent in: 2,100 counts of breathing would be no sum.
    assert entry(name, "furlong") == Entry(name, aggregate, unit)


@pytest.mark.scenario("series", "Unknown metrics are levels unless they are amounts")
@pytest.mark.parametrize("unit", ["count", "kcal", "kJ", "g", "mg", "mcg", "mL", "IU", "min"])
def test_an_unknown_metric_in_a_unit_of_amounts_adds_up(unit: str) -> None:
    assert entry("moonlight", unit) == Entry("moonlight", SUM, unit)


@pytest.mark.scenario("series", "Unknown metrics are levels unless they are amounts")
@pytest.mark.parametrize("unit", ["kg", "km", "%", "s", "hr", "L", "count/min", "furlong", None])
def test_an_unknown_metric_is_a_level_otherwise(unit: str | None) -> None:
    assert entry("moonlight", unit) == Entry("moonlight", AVG, unit)


def test_an_unknown_metric_is_given_in_the_one_spelling_of_its_unit() -> None:
    assert entry("moonlight", "steps") == Entry("moonlight", SUM, "count")
    assert entry("moonlight", "bpm").unit == "count/min"


def test_blood_pressure_is_measured_by_field() -> None:
    assert entry("blood_pressure", "mmHg").by_field == ("systolic", "diastolic")
    assert entry("sexual_activity", "count").by_field == ()
    assert entry("step_count", "count").by_field == ()


def test_metrics_with_fields_are_those_of_the_phone() -> None:
    assert {name: one.fields for name, one in KNOWN.items() if one.fields} == dict(FIELD_SHAPES)


def test_every_name_is_the_one_that_metrics_are_stored_under() -> None:
    assert [name for name in KNOWN if canonical_name(name) != name] == []


def test_every_metric_of_the_layers_is_known() -> None:
    assert (DENSE | TRAPS) - {"sleep_analysis"} <= set(KNOWN)
