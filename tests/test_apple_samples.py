"""Records of Apple's export, element by element."""

from __future__ import annotations

import pytest

from healthlog.apple.samples import Reading, Samples, Told
from healthlog.apple.words import CYCLE, HEART, SYMPTOMS
from tests.support.apple import (
    END,
    START,
    category,
    export,
    note,
    quantity,
    record,
    scanned,
    tag,
)

SPAN = {"date": START, "end": END, "source": "Apple\u00a0Watch"}
TOLD = {"start": START, "end": END, "source": "Apple\u00a0Watch"}


def said(text: str) -> Reading | Told | None:
    [_, element] = scanned(export(text))[0]
    return Samples().record(element)


def pressure(text: str) -> Reading | None:
    [_, element] = scanned(export(text))[0]
    return Samples().blood_pressure(element)


def test_a_quantity_has_start_end_number_and_source() -> None:
    assert said(quantity("StepCount", "12.5")) == Reading(
        "step_count", "count", {**SPAN, "qty": 12.5}
    )


@pytest.mark.parametrize(
    ("name", "sent", "metric", "unit", "qty"),
    [
        ("StepCount", ("12", "count"), "step_count", "count", 12.0),
        ("OxygenSaturation", ("0.97", "%"), "blood_oxygen_saturation", "%", 97.0),
        ("BodyFatPercentage", ("0.57", "%"), "body_fat_percentage", "%", 57.0),
        ("WalkingAsymmetryPercentage", ("0", "%"), "walking_asymmetry_percentage", "%", 0.0),
        ("HeartRate", ("71", "count/min"), "heart_rate", "count/min", 71.0),
        ("DistanceWalkingRunning", ("1.25", "km"), "walking_running_distance", "km", 1.25),
        ("DistanceWalkingRunning", ("1.25", "mi"), "walking_running_distance", "mi", 1.25),
        ("ActiveEnergyBurned", ("3.5", "kcal"), "active_energy", "kcal", 3.5),
        ("ActiveEnergyBurned", ("3.5", "Cal"), "active_energy", "kcal", 3.5),
        ("BasalEnergyBurned", ("3.5", "kJ"), "basal_energy_burned", "kJ", 3.5),
        ("BloodGlucose", ("99", "mg/dL"), "blood_glucose", "mg/dL", 99.0),
        ("BloodGlucose", ("5.5", "mmol<180.15588000005408>/L"), "blood_glucose", "mmol/L", 5.5),
        ("Height", ("5.9", "ft"), "height", "ft", 5.9),
        ("BodyTemperature", ("98.6", "degF"), "body_temperature", "degF", 98.6),
        ("PeakExpiratoryFlowRate", ("500", "L/min"), "peak_expiratory_flow_rate", "L/min", 500.0),
        ("HeadphoneAudioExposure", ("72.1", "dBASPL"), "headphone_audio_exposure", "dBASPL", 72.1),
        ("SomethingNew", ("-1e-3", "newUnit"), "something_new", "newUnit", -0.001),
    ],
)
@pytest.mark.scenario("import", "Units are the live feed's")
def test_units_and_numbers(
    name: str, sent: tuple[str, str], metric: str, unit: str, qty: float
) -> None:
    found = said(quantity(name, sent[0], unit=sent[1]))
    assert found == Reading(metric, unit, {**SPAN, "qty": qty})


@pytest.mark.parametrize("value", ["", "many", "1_000", "1,5"])
def test_a_value_that_is_no_number_stays_as_it_is(value: str) -> None:
    found = said(quantity("StepCount", value))
    assert isinstance(found, Reading)
    assert found.element["qty"] == value


def test_a_share_keeps_its_digits() -> None:
    values = [said(quantity("OxygenSaturation", f"0.{n:02}", unit="%")) for n in range(100)]
    found = [one.element["qty"] for one in values if isinstance(one, Reading)]
    assert found == [float(n) for n in range(100)]


def test_what_is_noted_beside_a_quantity_is_kept() -> None:
    found = said(quantity("HeartRate", "60", note("HKMetadataKeyHeartRateMotionContext", 1)))
    assert isinstance(found, Reading)
    assert found.element["metadata"] == {"HKMetadataKeyHeartRateMotionContext": "1"}


def test_a_program_s_own_bookkeeping_says_nothing_of_what_was_measured() -> None:
    kept = (
        note("HKMetadataKeySyncIdentifier", "a"),
        note("HKMetadataKeySyncVersion", 2),
        note("HKExternalUUID", "b"),
    )
    assert said(quantity("StepCount", "1", *kept)) == said(quantity("StepCount", "1"))


def test_meals_and_doses_are_named_as_the_live_feed_does() -> None:
    meal = said(quantity("BloodGlucose", "5", note("HKBloodGlucoseMealTime", 1)))
    dose = said(quantity("InsulinDelivery", "5", note("HKInsulinDeliveryReason", 2), unit="IU"))
    assert isinstance(meal, Reading)
    assert isinstance(dose, Reading)
    assert (meal.element["mealTime"], "metadata" in meal.element) == ("Before Meal", False)
    assert (dose.metric, dose.element["reason"]) == ("insulin_delivery", "Bolus")


def test_beats_of_a_variability_are_kept() -> None:
    beat = tag("InstantaneousBeatsPerMinute", {"bpm": 75, "time": "7:47:41.86 AM"}, indent=3)
    beats = tag("HeartRateVariabilityMetadataList", {}, beat, beat, indent=2)
    found = said(quantity("HeartRateVariabilitySDNN", "40", beats, unit="ms"))
    assert isinstance(found, Reading)
    assert found.metric == "heart_rate_variability"
    assert found.element["beats"] == [{"bpm": "75", "time": "7:47:41.86 AM"}] * 2


def test_a_record_without_a_type_says_nothing() -> None:
    assert said(tag("Record", {"value": 1, "startDate": START})) is None


# ---- categories


@pytest.mark.parametrize(
    ("value", "word", "hours"),
    [
        ("InBed", "In Bed", 1 / 6),
        ("Asleep", "Asleep", 1 / 6),
        ("AsleepUnspecified", "Asleep", 1 / 6),
        ("AsleepCore", "Core", 1 / 6),
        ("AsleepDeep", "Deep", 1 / 6),
        ("AsleepREM", "REM", 1 / 6),
        ("Awake", "Awake", 1 / 6),
        ("Dreaming", "Dreaming", 1 / 6),
    ],
)
def test_sleep_is_told_in_segments(value: str, word: str, hours: float) -> None:
    found = said(category("SleepAnalysis", f"HKCategoryValueSleepAnalysis{value}"))
    assert found == Told(
        "sleep_analysis",
        {
            "startDate": START,
            "endDate": END,
            "value": word,
            "source": "Apple\u00a0Watch",
            "qty": hours,
        },
    )


@pytest.mark.parametrize(("value", "qty"), [("Stood", 1.0), ("Idle", 0.0)])
def test_a_stand_hour_counts_if_there_was_standing(value: str, qty: float) -> None:
    found = said(category("AppleStandHour", f"HKCategoryValueAppleStandHour{value}"))
    assert found == Reading("apple_stand_hour", "count", {**SPAN, "qty": qty})


@pytest.mark.parametrize(
    ("name", "metric", "unit", "qty"),
    [
        ("MindfulSession", "mindful_minutes", "min", 10.0),
        ("HandwashingEvent", "handwashing", "s", 600.0),
        ("ToothbrushingEvent", "toothbrushing", "s", 600.0),
    ],
)
def test_what_lasts_is_measured_by_its_length(
    name: str, metric: str, unit: str, qty: float
) -> None:
    found = said(category(name, "HKCategoryValueNotApplicable"))
    assert found == Reading(metric, unit, {**SPAN, "qty": qty})


@pytest.mark.parametrize(
    ("used", "field"),
    [("1", "Protection Used"), ("0", "Protection Not Used"), (None, "Unspecified")],
)
def test_sexual_activity_is_told_by_protection(used: str | None, field: str) -> None:
    notes = () if used is None else (note("HKSexualActivityProtectionUsed", used),)
    found = said(category("SexualActivity", "HKCategoryValueNotApplicable", *notes))
    assert found == Reading("sexual_activity", "count", {**SPAN, field: 1.0})


@pytest.mark.parametrize("name", sorted(SYMPTOMS))
def test_symptoms_are_records(name: str) -> None:
    entered = note("HKWasUserEntered", 1)
    found = said(category(name, "HKCategoryValueSeverityMild", entered))
    more = {"name": SYMPTOMS[name], "severity": "Mild", "userEntered": True}
    assert found == Told("symptoms", {**TOLD, **more})


@pytest.mark.parametrize("name", sorted(CYCLE))
def test_what_is_noted_of_a_cycle_is_a_record(name: str) -> None:
    found = said(category(name, "HKCategoryValueNotApplicable"))
    assert found == Told("cycleTracking", {**TOLD, "name": CYCLE[name], "value": None})


@pytest.mark.parametrize(
    ("value", "word"),
    [
        ("HKCategoryValueVaginalBleedingHeavy", "Heavy"),
        ("HKCategoryValueMenstrualFlowLight", "Light"),
        ("3", "3"),
    ],
)
def test_a_flow_has_its_word_and_may_begin_a_cycle(value: str, word: str) -> None:
    found = said(category("MenstrualFlow", value, note("HKMenstrualCycleStart", 1)))
    more = {"name": "Menstrual Flow", "value": word, "isCycleStart": True}
    assert found == Told("cycleTracking", {**TOLD, **more})


@pytest.mark.parametrize("name", sorted(HEART))
def test_warnings_of_the_heart_are_records(name: str) -> None:
    threshold = note("HKHeartRateEventThreshold", "120 count/min")
    found = said(category(name, "HKCategoryValueNotApplicable", threshold))
    assert isinstance(found, Told)
    assert found.section == "heartRateNotifications"
    assert (found.element["heartNotification"], found.element["threshold"]) == (HEART[name], 120.0)


@pytest.mark.scenario("import", "Unknown type is kept")
def test_an_unknown_category_counts_once_with_its_word() -> None:
    value = "HKCategoryValueHeadphoneAudioExposureEventSevenDayLimit"
    found = said(category("HeadphoneAudioExposureEvent", value))
    more = {"qty": 1.0, "value": "SevenDayLimit"}
    assert found == Reading("headphone_audio_exposure_event", "count", {**SPAN, **more})
    assert said(category("NewThing", "HKCategoryValueNotApplicable")) == Reading(
        "new_thing", "count", {**SPAN, "qty": 1.0}
    )


def test_an_unknown_type_with_a_word_for_a_value_is_one_too() -> None:
    found = said(record("HKDataTypeNew", "Sometimes", unit=None))
    assert found == Reading("new", "count", {**SPAN, "qty": 1.0, "value": "Sometimes"})


# ---- blood pressure


def test_both_pressures_are_one_reading() -> None:
    found = pressure(
        tag(
            "Correlation",
            {
                "type": "HKCorrelationTypeIdentifierBloodPressure",
                "sourceName": "Cuff",
                "startDate": START,
                "endDate": START,
            },
            quantity("BloodPressureSystolic", "120", unit="mmHg"),
            quantity("BloodPressureDiastolic", "80", unit="mmHg"),
        )
    )
    both = {"systolic": 120.0, "diastolic": 80.0}
    span = {"date": START, "end": START, "source": "Cuff"}
    assert found == Reading("blood_pressure", "mmHg", {**span, **both})


def test_a_correlation_without_pressures_says_nothing() -> None:
    assert pressure(tag("Correlation", {"type": "x"}, quantity("StepCount"))) is None
