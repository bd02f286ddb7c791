"""HealthKit's names in the live feed's spelling."""

from __future__ import annotations

import re

import pytest

from healthlog.apple.names import METRICS, bare, metric_name, spelled_out, unit_name
from healthlog.hae.names import canonical_name
from healthlog.series.units import known
from tests.support.sources import ROOT

IDENTIFIERS = (ROOT / "tests" / "data" / "healthkit_quantities.txt").read_text().split()


@pytest.mark.scenario("import", "Metrics have the live feed's names")
@pytest.mark.parametrize("identifier", IDENTIFIERS)
def test_every_quantity_of_healthkit_has_a_name(identifier: str) -> None:
    name = METRICS[bare(f"HKQuantityTypeIdentifier{identifier}")]
    assert canonical_name(name) == name
    assert re.fullmatch(r"[a-z][a-z0-9_]*", name)


def test_no_two_quantities_share_a_name() -> None:
    assert len(set(METRICS.values())) == len(METRICS)


@pytest.mark.parametrize(
    ("identifier", "name"),
    [
        ("HKQuantityTypeIdentifierBodyMass", "weight_body_mass"),
        ("HKQuantityTypeIdentifierHeartRateRecoveryOneMinute", "cardio_recovery"),
        ("HKQuantityTypeIdentifierVO2Max", "vo2_max"),
        ("HKDataTypeSleepDurationGoal", "sleep_duration_goal"),
        ("HKQuantityTypeIdentifierSomethingNew", "something_new"),
        ("HKCategoryTypeIdentifierAudioExposureEvent", "audio_exposure_event"),
        ("HKQuantityTypeIdentifierUVIndexHigh2", "uv_index_high_2"),
        ("Custom", "custom"),
        ("HK", "hk"),
    ],
)
@pytest.mark.scenario("import", "Unknown type is kept")
def test_what_nobody_knows_is_spelled_alike(identifier: str, name: str) -> None:
    assert metric_name(identifier) == name


@pytest.mark.parametrize(
    ("sent", "spelled"),
    [
        *((unit, unit) for unit in ("count", "%", "count/min", "km", "mi", "kcal", "kJ", "ft")),
        *((unit, unit) for unit in ("degF", "degC", "L/min", "dBASPL", "mg/dL", "lb", "ms", "W")),
        *((unit, unit) for unit in ("kcal/hr\u00b7kg", "fl_oz_us", "IU", "mcS", "mmHg", "km/hr")),
        ("Cal", "kcal"),
        ("mmol<180.1558800000541>/L", "mmol/L"),
        ("mL/min\u00b7kg", "ml/(kg\u00b7min)"),
        ("appleEffortScore", "appleEffortScore"),
    ],
)
@pytest.mark.scenario("import", "Units are the live feed's")
def test_units_are_spelled_as_the_live_feed_does(sent: str, spelled: str) -> None:
    assert unit_name(sent) == spelled
    assert known(spelled) is not None or sent == "appleEffortScore"


def test_names_are_spelled_out() -> None:
    assert spelled_out("OvulationTestResult") == "Ovulation Test Result"
    assert spelled_out("HighIntensityIntervalTraining") == "High Intensity Interval Training"
