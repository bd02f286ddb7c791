"""Records over HTTP: their list, one of them, what changed of them."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest

from tests.support.reading import Desk, problem

RECORDS, CHANGES = "/api/v1/records", "/api/v1/changes"


def symptom(day: int, **more: object) -> dict[str, object]:
    begun = f"2026-05-0{day} 10:00:00 +0200"
    return {"name": "Pain/Ache | left", "start": begun, "end": begun, "severity": "Mild", **more}


def mood(day: int) -> dict[str, object]:
    at = f"2026-05-0{day}T20:00:00Z"
    own_id = f"0A1B2C3D-0000-4000-8000-00000000000{day}"
    return {"id": own_id, "start": at, "end": at, "valence": 0.25, "labels": ["calm"]}


def sections(**found: list[dict[str, object]]) -> bytes:
    return json.dumps({"data": found}).encode()


def address(item: dict[str, Any]) -> str:
    return f"{RECORDS}/{item['kind']}/{quote(item['key'], safe='')}"


@pytest.fixture
def told(desk: Desk) -> Desk:
    desk.send(sections(symptoms=[symptom(day) for day in (5, 6)], stateOfMind=[mood(5)]))
    return desk


@pytest.mark.scenario("reading", "Records are listed by kind and time")
def test_records_are_listed_by_kind_and_time(told: Desk) -> None:
    found = told.items(RECORDS)
    assert [(item["kind"], item["day"]) for item in found] == [
        ("symptom", "2026-05-05"),
        ("state_of_mind", "2026-05-05"),
        ("symptom", "2026-05-06"),
    ]
    assert [item["day"] for item in told.items(RECORDS, kind="symptom")] == [
        "2026-05-05",
        "2026-05-06",
    ]
    assert told.items(RECORDS, from_="2026-05-06T00:00:00Z") == found[2:]
    assert found[0]["data"]["severity"] == "Mild"


@pytest.mark.scenario("reading", "Records are listed by kind and time")
def test_pages_of_records_join(told: Desk) -> None:
    first = told.get(RECORDS, limit="2").json()
    second = told.get(RECORDS, limit="2", cursor=first["next"]).json()
    assert first["items"] + second["items"] == told.items(RECORDS)
    assert second["next"] is None


@pytest.mark.scenario("reading", "One record is found by its key")
def test_a_record_is_found_by_its_key_whatever_stands_in_it(told: Desk) -> None:
    for item in told.items(RECORDS):
        assert told.get(address(item)).json() == item


@pytest.mark.scenario("reading", "One record is found by its key")
@pytest.mark.parametrize("path", ["symptom/none", "nothing/none", "workout/%00", "symptom/a%2Fb"])
def test_a_record_that_is_not_there_is_not_found(told: Desk, path: str) -> None:
    assert told.get(f"{RECORDS}/{path}").status in {400, 404}


@pytest.mark.parametrize(("name", "value"), [("kind", "dream"), ("cursor", "x"), ("from", "then")])
def test_a_wrong_parameter_is_named(told: Desk, name: str, value: str) -> None:
    assert name in problem(told.get(RECORDS, **{name + "_": value}), 400)


def test_records_are_given_as_csv_and_lines(told: Desk) -> None:
    lines = told.get(RECORDS, format="ndjson").body.decode().splitlines()
    assert [json.loads(line) for line in lines] == told.items(RECORDS)
    head, *rows = told.get(RECORDS, format="csv").body.decode().split("\r\n")
    assert head.startswith("kind,key,start,end,day,data")
    assert len([row for row in rows if row]) == 3


@pytest.mark.scenario("reading", "Changes name the records that differ")
def test_changes_name_the_records_that_differ(told: Desk) -> None:
    cursor = told.get(CHANGES).json()["cursor"]
    told.send(sections(symptoms=[symptom(5), symptom(6, severity="Severe"), symptom(7)]))
    found = told.items(CHANGES, since=cursor)
    records = [item for item in found if item["what"] == "record"]
    assert [told.get(address(item)).json()["day"] for item in records] == [
        "2026-05-06",
        "2026-05-07",
    ]


@pytest.mark.scenario("reading", "Changes name the records that differ")
def test_pages_of_changes_join_over_points_and_records(told: Desk) -> None:
    cursor = told.get(CHANGES).json()["cursor"]
    told.send(sections(symptoms=[symptom(day) for day in (7, 8, 9)], stateOfMind=[mood(6)]))
    whole = told.items(CHANGES, since=cursor)
    single: list[dict[str, Any]] = []
    following: str | None = cursor
    while following is not None:
        page = told.get(CHANGES, since=following, limit="1").json()
        single += page["items"]
        following = page["next"]
    assert single == whole
    assert len([item for item in whole if item["what"] == "record"]) == 4
