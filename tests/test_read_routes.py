"""The switch that leaves out where workouts were."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.support.apple import gpx
from tests.support.clock import FakeClock
from tests.support.engine import open_engine
from tests.support.folding import case
from tests.support.reading import Desk, open_desk, problem
from tests.support.records import sections, workout
from tests.support.shell import run

RECORDS = "/api/v1/records"
V1, V2 = case("28_workout_v1.json"), case("29_workout_v2.json")
WORDS = (b"route", b"latitude", b"longitude", b'"lat"', b'"lon"', b"8.71")


def named(answer: bytes) -> list[bytes]:
    """Which words of a place an answer holds."""
    return [word for word in WORDS if word in answer]


def told(desk: Desk) -> Desk:
    desk.send(V1)
    desk.send(V2)
    leg = {"start": "2026-06-01 12:00:00 +0200", "route": [{"latitude": 50.1, "longitude": 8.71}]}
    desk.send(sections(workouts=[workout(7, activities=[leg], labels=["a"])]))
    return desk


@pytest.fixture
def desk(data: Path, clock: FakeClock) -> Iterator[Desk]:
    with open_desk(data, clock) as desk:
        yield told(desk)


@pytest.fixture
def closed(data: Path, clock: FakeClock) -> Iterator[Desk]:
    with open_desk(data, clock, routes="false") as desk:
        yield told(desk)


def addresses(desk: Desk) -> list[str]:
    return [f"{RECORDS}/{one['kind']}/{quote(one['key'], safe='')}" for one in desk.items(RECORDS)]


@pytest.mark.scenario("reading", "Places of workouts are left out on request")
@pytest.mark.parametrize("form", ["json", "csv", "ndjson"])
def test_places_are_left_out_of_lists(desk: Desk, form: str) -> None:
    assert len(named(desk.get(RECORDS, format=form, limit="100").body.replace(b'""', b'"'))) > 3
    for more in ({}, {"kind": "workout"}):
        assert named(desk.get(RECORDS, format=form, routes="false", **more).body) == []


@pytest.mark.scenario("reading", "Places of workouts are left out on request")
def test_places_are_left_out_of_single_records(desk: Desk) -> None:
    for address in addresses(desk):
        whole, rest = desk.get(address).json(), desk.get(address, routes="false").json()
        assert desk.get(address, routes="true").json() == whole
        assert named(json.dumps(rest).encode()) == []
        # All else is as it was.
        assert rest["data"].keys() >= whole["data"].keys() - {"route"}
        assert {**whole, "data": None} == {**rest, "data": None}


@pytest.mark.scenario("reading", "Places of workouts are left out on request")
def test_pages_without_places_join(desk: Desk) -> None:
    whole = desk.items(RECORDS, routes="false")
    reply = desk.get(RECORDS, routes="false", limit="2", format="ndjson")
    rest = desk.get(reply.headers["link"].partition(">")[0].lstrip("<"))
    lines = (reply.body + rest.body).splitlines()
    assert [json.loads(line) for line in lines] == whole


@pytest.mark.parametrize("value", ["no", "0", "False", ""])
def test_the_switch_is_true_or_false(desk: Desk, value: str) -> None:
    assert "routes" in problem(desk.get(RECORDS, routes=value), 400)
    assert "routes" in problem(desk.get(f"{RECORDS}/workout/x", routes=value), 400)
    assert "routes" in problem(desk.get("/api/v1/metrics", routes="false"), 400)


@pytest.mark.scenario("reading", "Setting keeps places out of every answer")
def test_the_setting_keeps_places_out_of_every_answer(closed: Desk) -> None:
    assert len(closed.items(RECORDS)) == 3
    for address in (RECORDS, *addresses(closed), "/api/v1/days/2026-06-01"):
        assert named(closed.get(address).body) == []
    # Nobody who asks can turn it on again.
    assert named(closed.get(RECORDS, routes="true").body) == []


@pytest.mark.scenario("reading", "Setting keeps places out of every answer")
def test_the_setting_changes_nothing_that_is_stored(closed: Desk, data: Path) -> None:
    ids = [one["delivery_id"] for one in closed.items("/api/v1/deliveries")]
    assert closed.get(f"/api/v1/deliveries/{ids[0]}/body").body == V1
    digest = run("digest", "--data", data).out
    assert run("digest", "--data", data, "--routes", "true").out == digest


@pytest.mark.scenario("reading", "Places are left out of an export")
def test_places_are_left_out_of_an_export(data: Path, clock: FakeClock) -> None:
    with open_engine(data, clock) as engine:
        for content in (V1, V2):
            engine.post(content, automation_id="A")
        engine.fold_all()

    def exported(*flags: str) -> str:
        ran = run("export", "records", "--data", data, "--format", "ndjson", *flags)
        assert (ran.status, ran.err) == (0, "")
        return ran.out

    whole = [json.loads(line) for line in exported().splitlines()]
    assert all("route" in one["data"] for one in whole)
    for flags in (("--no-routes",), ("--routes", "false")):
        rest = exported(*flags)
        assert named(rest.encode()) == []
        assert len(rest.splitlines()) == len(whole)
    assert run("export", "points", "--data", data, "--no-routes").refused(2, "--no-routes")


def test_a_route_of_apple_s_export_is_one_too(desk: Desk) -> None:
    element: list[Any] = [
        "Workout",
        {
            "workoutActivityType": "HKWorkoutActivityTypeRunning",
            "startDate": "2026-05-03 08:00:00 +0200",
            "endDate": "2026-05-03 08:10:00 +0200",
        },
        [
            [
                "WorkoutRoute",
                {},
                [["FileReference", {}, [["gpx", {"text": gpx((50.1, 8.71)).decode()}]]]],
            ]
        ],
    ]
    desk.send(sections(appleHealth={"elements": [element]}))
    wanted = {"from_": "2026-05-03T00:00:00Z", "to": "2026-05-04T00:00:00Z"}
    assert len(named(desk.get(RECORDS, **wanted).body)) >= 3
    assert named(desk.get(RECORDS, routes="false", **wanted).body) == []
