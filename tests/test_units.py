"""Units: spellings that mean the same, factors to the last digit, what can't be converted."""

from __future__ import annotations

import pytest

from healthlog.series.catalogue import KNOWN
from healthlog.series.units import converter, known, spelled


def converted(value: float, sent: str | None, wanted: str | None, metric: str = "m") -> object:
    """The value in another unit; "no" where it can't be given in that."""
    convert = converter(metric, sent, wanted)
    return "no" if convert is None else convert(value)


@pytest.mark.scenario("series", "Factors are exact")
@pytest.mark.parametrize(
    ("value", "sent", "wanted", "expected"),
    [
        (4.184, "kJ", "kcal", 1.0),
        (1673.6, "kJ", "kcal", 400.0),
        (1, "kcal", "kJ", 4.184),
        (1, "lb", "kg", 0.45359237),
        (180, "lb", "kg", 81.6466266),
        (16, "oz", "lb", 1.0),
        (14, "lb", "st", 1.0),
        (1, "mi", "km", 1.609344),
        (3, "ft", "yd", 1.0),
        (70, "in", "cm", 177.8),
        (1, "mi/hr", "km/hr", 1.609344),
        (36, "km/hr", "m/s", 10.0),
        (98.6, "degF", "degC", 37.0),
        (-40, "degC", "degF", -40.0),
        (0, "degC", "K", 273.15),
        (1, "fl_oz_us", "mL", 29.5735295625),
        (2, "L", "mL", 2000.0),
        (500, "mcg", "mg", 0.5),
        (90, "s", "min", 1.5),
        (1, "hr", "min", 60.0),
        (1.5, "count/s", "count/min", 90.0),
        (16, "kPa", "mmHg", 120.00985213530501),
        (1, "kW", "W", 1000.0),
    ],
)
def test_a_factor_is_exact(value: float, sent: str, wanted: str, expected: float) -> None:
    assert converted(value, sent, wanted) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("count/min", "bpm"),
        ("count/min", "BPM"),
        ("ml/(kg·min)", "mL/min·kg"),
        ("ml/(kg·min)", "mL/kg/min"),
        ("kcal/hr·kg", "kcal/(kg·hr)"),
        ("kcal/hr·kg", "MET"),
        ("lb", "lbs"),
        ("lb", " LB "),
        ("fl_oz_us", "fl. oz."),
        ("mi", "miles"),
        ("degF", "°F"),
        ("degC", "°C"),
        ("km/hr", "km/h"),
        ("mi/hr", "mph"),
        ("mcg", "µg"),
        ("mcg", "\u03bcg"),
        ("count", "steps"),
        ("kcal", "Cal"),
        ("mmol/L", "mmol<180.1558800000541>/L"),
        ("hr", "h"),
        ("dBASPL", "dB(A)"),
    ],
)
def test_a_unit_has_many_spellings(one: str, other: str) -> None:
    assert spelled(other) == one
    assert converted(7.25, other, one) == 7.25


def test_the_case_of_letters_counts_where_it_makes_two_units() -> None:
    assert (spelled("Cal"), spelled("cal")) == ("kcal", "cal")
    assert (spelled("S"), spelled("s")) == ("S", "s")
    assert (spelled("KCAL"), spelled("ML"), spelled("Kg")) == ("kcal", "mL", "kg")


def test_glucose_alone_goes_from_moles_to_grams() -> None:
    assert converted(5.5, "mmol/L", "mg/dL", "blood_glucose") == 99.1001
    assert converted(99.1001, "mg/dL", "mmol/L", "blood_glucose") == 5.5
    assert converted(5.5, "mmol/L", "mg/dL", "cholesterol") == "no"


@pytest.mark.parametrize(
    ("sent", "wanted"), [("kg", "km"), ("furlong", "km"), ("kg", "stein"), (None, "kg"), ("%", "g")]
)
def test_what_measures_something_else_can_not_be_converted(
    sent: str | None, wanted: str | None
) -> None:
    assert converted(1, sent, wanted) == "no"


@pytest.mark.parametrize("unit", ["furlong", None, ""])
def test_a_unit_that_nobody_knows_is_what_it_is(unit: str | None) -> None:
    assert (known(unit), spelled(unit)) == (None, unit)
    assert converted(3.5, unit, unit) == 3.5


def test_what_no_double_holds_is_nothing() -> None:
    assert converted(1e308, "kg", "mg") is None


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_every_canonical_unit_is_known_by_its_own_name(name: str) -> None:
    unit = KNOWN[name].unit
    assert spelled(unit) == unit
    assert known(unit) is not None
