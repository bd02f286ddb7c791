"""Values of counted readings in the unit asked for."""

from __future__ import annotations

import pytest

from healthlog.series.catalogue import Entry, entry
from healthlog.series.line import Figure
from healthlog.series.measure import Measure
from healthlog.series.tally import Tally

PRESSURE = entry("blood_pressure", "mmHg")


def tally(*readings: tuple[str | None, float]) -> Tally:
    """Readings of unit and value, one a second."""
    found = Tally()
    for at_ms, (unit, value) in enumerate(readings):
        found.add(unit, [Figure(value, value, value)], at_ms, ())
    return found


def shown(known: Entry, counted: Tally, unit: str | None = None) -> list[dict[str, object]]:
    """What an answer shows, with the unit of each."""
    measure = Measure(known, known.unit if unit is None else unit)
    return [{"unit": one.unit} | measure.shown(one) for one in measure.of(counted)]


@pytest.mark.scenario("series", "Units are one series")
def test_kilojoules_beside_kilocalories_are_one_sum() -> None:
    energy = entry("active_energy", "kcal")
    counted = tally(("kcal", 500), ("kJ", 2092))
    assert shown(energy, counted) == [{"unit": "kcal", "value": 1000}]
    assert shown(energy, counted, "kJ") == [{"unit": "kJ", "value": 4184}]
    assert Measure(energy, "kcal").amount(counted) == 1000


def test_an_average_over_units_weighs_each_reading_once() -> None:
    glucose = entry("blood_glucose", "mg/dL")
    counted = tally(("mg/dL", 90), ("mg/dL", 96), ("mmol/L", 5.0))
    [found] = shown(glucose, counted)
    assert found["value"] == pytest.approx((90 + 96 + 90.091) / 3)
    assert (found["min"], found["max"]) == (90, 96)


def test_the_latest_state_counts_in_whatever_unit_it_is() -> None:
    weight = entry("weight_body_mass", "kg")
    assert shown(weight, tally(("kg", 80), ("lb", 100))) == [{"unit": "kg", "value": 45.359237}]
    assert shown(weight, tally(("lb", 100), ("kg", 80)), "lb")[0]["value"] == pytest.approx(
        176.3698
    )


def test_temperatures_have_another_zero() -> None:
    warm = entry("body_temperature", "degC")
    assert shown(warm, tally(("degF", 98.6), ("degC", 38.0))) == [
        {"unit": "degC", "value": 37.5, "min": 37, "max": 38}
    ]


@pytest.mark.scenario("series", "What can not be converted is named")
def test_what_can_not_be_converted_is_given_as_sent_with_its_name() -> None:
    weight = entry("weight_body_mass", "kg")
    counted = tally(("kg", 80), ("furlong", 3), (None, 7))
    assert shown(weight, counted) == [
        {"unit": "kg", "value": 80},
        {"unit": None, "value": 7},
        {"unit": "furlong", "value": 3},
    ]
    assert Measure(weight, "kg").amount(tally(("furlong", 3))) is None


def test_spellings_of_one_unit_are_one_value() -> None:
    pulse = entry("heart_rate", "bpm")
    assert shown(pulse, tally(("bpm", 60), ("count/min", 70))) == [
        {"unit": "count/min", "value": 65, "min": 60, "max": 70}
    ]
    unknown = Entry("moonlight", "avg", "lx")
    assert shown(unknown, tally(("µS", 1), ("mcS", 3))) == [
        {"unit": "mcS", "value": 2, "min": 1, "max": 3}
    ]


@pytest.mark.scenario("series", "Blood pressure is given by field")
def test_blood_pressure_is_given_by_field() -> None:
    counted = Tally()
    counted.add("mmHg", [Figure(121, 121, 121), Figure(79, 79, 79)], 0, ())
    counted.add("mmHg", [Figure(131, 131, 131), Figure(None)], 1, ())
    assert shown(PRESSURE, counted) == [
        {
            "unit": "mmHg",
            "value": {"systolic": 126, "diastolic": 79},
            "min": {"systolic": 121, "diastolic": 79},
            "max": {"systolic": 131, "diastolic": 79},
        }
    ]


def test_a_range_alone_has_no_value() -> None:
    counted = Tally()
    counted.add("bpm", [Figure(None, 48, 165)], 0, ())
    assert shown(entry("heart_rate", "bpm"), counted) == [
        {"unit": "count/min", "min": 48, "max": 165}
    ]


def test_sums_and_states_have_no_extremes() -> None:
    assert shown(entry("step_count", "count"), tally(("count", 3), ("count", 5))) == [
        {"unit": "count", "value": 8}
    ]


@pytest.mark.parametrize("unit", ["kg", "g"])
def test_what_no_double_holds_is_left_out(unit: str) -> None:
    heavy = tally(("kg", 1.5e308), ("kg", 1.5e308))
    assert shown(Entry("load", "sum", "kg"), heavy, unit) == [{"unit": unit}]
    assert shown(Entry("load", "avg", "kg"), heavy, unit)[0].keys() <= {"unit", "min", "max"}
