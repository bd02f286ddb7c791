"""Workouts of Apple's export as the live feed tells them."""

from __future__ import annotations

from typing import Any

import pytest

from healthlog.apple.gpx import NoRoute, holds_points, points
from healthlog.apple.workouts import measure, workout
from tests.support import apple
from tests.support.apple import END, START, export, gpx, note, quantity, scanned, statistic, tag


def said(*inside: str, kind: str = "Running", **more: object) -> dict[str, Any]:
    [_, element] = scanned(export(apple.workout(kind, *inside, **more)))[0]  # type: ignore[arg-type]
    return workout(element)


def test_a_workout_has_name_span_length_and_source() -> None:
    assert said() == {
        "name": "Running",
        "start": START,
        "end": END,
        "source": "Apple\u00a0Watch",
        "workoutActivityType": "HKWorkoutActivityTypeRunning",
        "duration": 570.0,
    }


@pytest.mark.parametrize(
    ("kind", "notes", "name", "location"),
    [
        ("Running", {"HKIndoorWorkout": 0}, "Outdoor Run", "Outdoor"),
        ("Running", {"HKIndoorWorkout": 1}, "Indoor Run", "Indoor"),
        ("Walking", {"HKIndoorWorkout": 0}, "Outdoor Walk", "Outdoor"),
        ("Cycling", {"HKIndoorWorkout": 1}, "Indoor Cycling", "Indoor"),
        ("Swimming", {"HKSwimmingLocationType": 1}, "Pool Swim", "Pool"),
        ("Swimming", {"HKSwimmingLocationType": 2}, "Open Water Swim", "Open Water"),
        ("TraditionalStrengthTraining", {}, "Traditional Strength Training", None),
        ("HighIntensityIntervalTraining", {}, "High Intensity Interval Training", None),
        ("SomethingNew", {}, "Something New", None),
    ],
)
def test_the_name_says_where(
    kind: str, notes: dict[str, int], name: str, location: str | None
) -> None:
    found = said(*(note(key, value) for key, value in notes.items()), kind=kind)
    assert (found["name"], found.get("location")) == (name, location)


@pytest.mark.scenario("import", "Workout has its statistics")
def test_statistics_give_totals_rates_and_stay() -> None:
    found = said(
        statistic("ActiveEnergyBurned", "Cal", sum="342.5"),
        statistic("DistanceWalkingRunning", "mi", sum="5.35"),
        statistic("HeartRate", "count/min", average="140.5", minimum="90", maximum="171"),
        statistic("RunningSpeed", "km/hr", average="9.5", maximum="12"),
        statistic("StepCount", "count", sum="7000"),
        statistic("RunningPower", "W", average="230"),
    )
    assert found["activeEnergyBurned"] == {"qty": 342.5, "units": "kcal"}
    assert found["distance"] == {"qty": 5.35, "units": "mi"}
    assert found["avgHeartRate"] == {"qty": 140.5, "units": "count/min"}
    assert found["maxHeartRate"]["qty"] == 171
    assert found["heartRate"]["min"] == {"qty": 90.0, "units": "count/min"}
    assert (found["avgSpeed"]["qty"], found["maxSpeed"]["qty"]) == (9.5, 12.0)
    assert found["stepCount"] == {"qty": 7000.0, "units": "count"}
    assert {"name": "running_power", "average": 230.0, "units": "W"} in found["statistics"]


def test_old_totals_stand_in_the_workout_itself() -> None:
    found = said(
        totalDistance="4.69", totalDistanceUnit="km", totalEnergyBurned="0",
        totalEnergyBurnedUnit="kcal",
    )  # fmt: skip
    assert found["distance"] == {"qty": 4.69, "units": "km"}
    assert "activeEnergyBurned" not in found


def test_statistics_come_before_old_totals() -> None:
    energy = statistic("ActiveEnergyBurned", "kcal", sum="300")
    found = said(energy, totalEnergyBurned="1", totalEnergyBurnedUnit="kJ")
    assert found["activeEnergyBurned"] == {"qty": 300.0, "units": "kcal"}


def test_what_only_the_one_activity_tells_is_taken_from_it() -> None:
    activity = tag(
        "WorkoutActivity",
        {"uuid": "A", "startDate": START, "endDate": END, "duration": "9", "durationUnit": "min"},
        note("HKIndoorWorkout", 0, 3),
        statistic("DistanceWalkingRunning", "km", 3, sum="5"),
        statistic("StepCount", "count", 3, sum="1"),
        indent=2,
    )
    found = said(activity, statistic("StepCount", "count", sum="7000"))
    assert (found["name"], found["distance"]["qty"]) == ("Outdoor Run", 5.0)
    assert found["stepCount"]["qty"] == 7000.0
    assert "activities" not in found


def test_several_activities_stay_apart() -> None:
    legs = [
        tag("WorkoutActivity", {"uuid": name, "startDate": START, "duration": "1"}, indent=2)
        for name in ("swim", "bike")
    ]
    found = said(*legs, kind="SwimBikeRun")
    assert [leg["uuid"] for leg in found["activities"]] == ["swim", "bike"]
    assert found["activities"][0]["activeDuration"] == 1.0


def test_notes_become_fields_with_units() -> None:
    found = said(
        note("HKElevationAscended", "45443 cm"),
        note("HKWeatherTemperature", "47.6418 degF"),
        note("HKWeatherHumidity", "9400 %"),
        note("HKAverageMETs", "9.66668 kcal/hr\u00b7kg"),
        note("HKTimeZone", "Europe/Paris"),
    )
    assert found["elevationUp"] == {"qty": 454.43, "units": "m"}
    assert found["temperature"] == {"qty": 47.6418, "units": "degF"}
    assert found["humidity"] == {"qty": 94.0, "units": "%"}
    assert found["intensity"] == {"qty": 9.66668, "units": "kcal/hr\u00b7kg"}
    assert found["metadata"]["HKTimeZone"] == "Europe/Paris"


def test_humidity_of_older_exports_is_no_hundredfold() -> None:
    assert said(note("HKWeatherHumidity", "56 %"))["humidity"]["qty"] == 56.0


def test_events_are_kept_in_their_order() -> None:
    found = said(
        tag("WorkoutEvent", {"type": "HKWorkoutEventTypePause", "date": START}, indent=2),
        tag(
            "WorkoutEvent",
            {"type": "HKWorkoutEventTypeSegment", "date": START, "duration": "2",
             "durationUnit": "min"},
            indent=2,
        ),
    )  # fmt: skip
    assert found["events"] == [
        {"type": "Pause", "date": START},
        {"type": "Segment", "date": START, "duration": 120.0},
    ]


@pytest.mark.scenario("import", "Workout has its route")
def test_a_route_has_the_live_feed_s_fields() -> None:
    element = scanned(export(apple.workout("Running", apple.route("/workout-routes/r.gpx"))))[0][1]
    element[2][0][2][0][2:] = [[["gpx", {"text": gpx((51.5, -0.12), (51.6, -0.13)).decode()}]]]
    route = workout(element)["route"]
    assert route == [
        {
            "timestamp": f"2026-05-03T06:00:0{place}Z",
            "latitude": latitude,
            "longitude": longitude,
            "altitude": 12.5,
            "speed": 1.5,
            "course": 90.0,
            "horizontalAccuracy": 3.0,
            "verticalAccuracy": 4.0,
        }
        for place, (latitude, longitude) in enumerate(((51.5, -0.12), (51.6, -0.13)))
    ]


def test_places_of_old_exports_stand_in_the_xml() -> None:
    place = tag("Location", {"date": START, "latitude": "32.9", "longitude": "34.8"}, indent=3)
    found = said(tag("WorkoutRoute", {"sourceName": "x"}, place, indent=2))
    assert found["route"] == [{"timestamp": START, "latitude": 32.9, "longitude": 34.8}]


def test_records_inside_a_workout_are_no_hindrance() -> None:
    assert said(quantity("WorkoutEffortScore", "5"))["name"] == "Running"


@pytest.mark.parametrize("text", ["", "cm", "45443", "many cm"])
def test_what_is_no_measure_is_none(text: str) -> None:
    assert measure(text) is None


# ---- routes


def test_points_keep_all_they_hold() -> None:
    assert points(gpx((1.5, 2.5)).decode()) == [
        {
            "lon": "2.5", "lat": "1.5", "ele": "12.5", "time": "2026-05-03T06:00:00Z",
            "speed": "1.5", "course": "90", "hAcc": "3", "vAcc": "4",
        },
    ]  # fmt: skip


@pytest.mark.scenario("import", "Entities are refused")
@pytest.mark.parametrize(
    "text",
    [
        "no xml",
        "",
        "<gpx><trkpt lat='1'>",
        "<!DOCTYPE gpx [<!ENTITY a 'b'>]><gpx>&a;</gpx>",
        "<gpx>&a;</gpx>",
    ],
)
def test_what_is_no_route_is_refused(text: str) -> None:
    with pytest.raises(NoRoute):
        points(text)
    element = scanned(export(apple.workout("Running", apple.route("/r.gpx"))))[0][1]
    element[2][0][2][0][2:] = [[["gpx", {"text": text}]]]
    assert "route" not in workout(element)


def test_a_route_is_told_by_its_points() -> None:
    assert holds_points(gpx((1, 2)))
    assert not holds_points(gpx())
    assert not holds_points(b"<!DOCTYPE gpx>" + gpx((1, 2)))
