"""What may be wrong about a workout."""

from __future__ import annotations

from typing import Any

import pytest

from healthlog.records.derive_workout import doubts, of_workout
from tests.support.records import span_of, workout

BEFORE, DURING = "2026-06-01 11:59:00 +0200", "2026-06-01 12:10:00 +0200"
AFTER, LATER = "2026-06-01 12:30:00 +0200", "2026-06-01 12:31:00 +0200"


def flags(**more: Any) -> set[str]:
    whole = workout(**more)
    return doubts(whole, span_of("workout", whole))


def kind(**more: Any) -> tuple[dict[str, Any], set[str]]:
    whole = workout(**more)
    return of_workout(whole, span_of("workout", whole))


@pytest.mark.scenario("records", "Kind of a workout is one in whatever language")
@pytest.mark.parametrize(
    "name", ["Outdoor Run", "Outdoor Ausführen", "Innenräume_Ausführen", "Бег"]
)
def test_a_kind_of_workout_is_one_in_whatever_language(name: str) -> None:
    assert kind(name=name) == ({"type": "running"}, set())


@pytest.mark.scenario("records", "Kind of a workout is one in whatever language")
def test_a_kind_that_nobody_knows_is_doubted() -> None:
    assert kind(name="Quidditch") == ({}, {"type_unknown"})
    assert kind(name=None) == kind(name=" ") == kind(name=5) == ({}, set())


def test_the_kind_of_apple_s_export_comes_before_the_name() -> None:
    apple = {"workoutActivityType": "HKWorkoutActivityTypeYoga"}
    assert kind(name="Quidditch", **apple) == ({"type": "yoga"}, set())
    assert kind(name="Outdoor Run", workoutActivityType="HKWorkoutActivityTypeNew") == (
        {"type": "running"},
        set(),
    )


def beats(*dates: object) -> list[dict[str, object]]:
    return [{"date": date, "Avg": 120, "units": "bpm"} for date in dates]


@pytest.mark.parametrize("dates", [[AFTER, LATER], [LATER], [BEFORE]])
def test_a_heart_rate_without_a_sample_of_the_workout_is_recovery(dates: list[str]) -> None:
    assert flags(heartRateData=beats(*dates)) == {"heart_rate_is_recovery"}


@pytest.mark.parametrize("dates", [[DURING], [DURING, LATER], ["2026-06-01 12:00:00 +0200"], []])
def test_a_heart_rate_with_a_sample_of_the_workout_is_its_own(dates: list[str]) -> None:
    assert flags(heartRateData=beats(*dates)) == set()


@pytest.mark.parametrize("odd", ["x", 5, {"date": LATER}, [5, None], beats("soon")])
def test_a_heart_rate_that_cannot_be_read_is_no_doubt(odd: object) -> None:
    assert flags(heartRateData=odd) == set()


def test_without_a_span_nothing_lies_outside() -> None:
    assert flags(end=None, heartRateData=beats(LATER), duration=10**6) == set()


@pytest.mark.scenario("records", "Speed in an odd unit is flagged")
@pytest.mark.parametrize("unit", ["km", "m/hr", "mph", "m"])
@pytest.mark.parametrize("name", ["speed", "avgSpeed", "maxSpeed", "cyclingSpeed"])
def test_a_speed_in_an_odd_unit_is_doubted(name: str, unit: str) -> None:
    one = {"qty": 10.3, "units": unit}
    assert flags(**{name: one}) == {"unit_doubtful"}
    assert flags(**{name: [{"date": DURING, **one}]}) == {"unit_doubtful"}


@pytest.mark.scenario("records", "Speed in an odd unit is flagged")
@pytest.mark.parametrize("unit", ["km/hr", "m/s", "mi/hr", "min/km", None, ""])
def test_a_speed_in_a_plain_unit_is_not(unit: object) -> None:
    assert flags(speed={"qty": 10.3, "units": unit}, distance={"qty": 5, "units": "km"}) == set()


@pytest.mark.scenario("records", "Speed in an odd unit is flagged")
@pytest.mark.parametrize(
    ("lap", "doubted"),
    [
        ({"qty": 0.025, "units": "m"}, True),
        ({"qty": 25, "units": "m"}, False),
        ({"qty": 0.025, "units": "km"}, False),
        ({"qty": 25, "units": "yd"}, False),
        ({"qty": 0, "units": "m"}, False),
        ({"qty": 0.025}, False),
        (0.025, False),
    ],
)
def test_a_lap_below_a_metre_is_doubted(lap: object, doubted: bool) -> None:
    assert flags(lapLength=lap) == ({"unit_doubtful"} if doubted else set())


@pytest.mark.parametrize(
    ("qty", "unit", "doubted"),
    [(4367, "km/hr", True), (45, "km/hr", False), (200, "m/s", True), (5, "knots/x", False)],
)
def test_a_speed_nobody_reaches_is_doubted(qty: float, unit: str, doubted: bool) -> None:
    assert flags(maxSpeed={"qty": qty, "units": unit}) == (
        {"speed_implausible"} if doubted else set()
    )


@pytest.mark.parametrize(
    ("duration", "doubted"), [(1_700, False), (1_860, False), (1_861, True), ("1861", False)]
)
def test_lasting_longer_than_from_start_to_end_is_doubted(duration: object, doubted: bool) -> None:
    assert flags(duration=duration) == ({"duration_exceeds_span"} if doubted else set())
