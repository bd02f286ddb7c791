"""Lists over HTTP: their parameters, their pages, their forms."""

from __future__ import annotations

import csv
import io
import json
from typing import Any
from urllib.parse import quote

import pytest

from healthlog.params import cursor_text
from tests.support.reading import MINUTES, SECONDS, Desk, body, metric, problem, steps

POINTS, DELIVERIES = "/api/v1/points", "/api/v1/deliveries"
METRICS = "/api/v1/metrics"
LISTS = (METRICS, POINTS, DELIVERIES)
FIVE = [(f"2026-05-03 09:0{minute}:00 +0200", minute + 0.25) for minute in range(5)]


# ---- parameters


@pytest.mark.scenario("reading", "Wrong value names its parameter")
@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("limit", "0"),
        ("limit", "10,001"),
        ("limit", "10001"),
        ("from", "yesterday"),
        ("to", "2026-05-03T7:00"),
        ("layer", "fortnight"),
        ("status", "lost"),
        ("format", "xml"),
        ("cursor", "abc"),
        ("colour", "red"),
    ],
)
def test_a_wrong_value_names_its_parameter(desk: Desk, path: str, name: str, value: str) -> None:
    needed = "metric=step_count&" if path == POINTS else ""
    detail = problem(desk.get(f"{path}?{needed}{name}={quote(value)}"), 400)
    assert f"The parameter {name} " in detail


@pytest.mark.scenario("reading", "Wrong value names its parameter")
@pytest.mark.parametrize("path", LISTS)
def test_a_parameter_given_twice_is_named(desk: Desk, path: str) -> None:
    assert "limit" in problem(desk.get(f"{path}?limit=5&limit=5"), 400)


@pytest.mark.parametrize("path", ["/stats", f"{DELIVERIES}/x", f"{DELIVERIES}/x/body"])
def test_what_takes_no_parameter_refuses_any(desk: Desk, path: str) -> None:
    assert "limit" in problem(desk.get(path, limit="5"), 400)


def test_points_are_asked_for_by_their_metric(desk: Desk) -> None:
    assert problem(desk.get(POINTS), 400) == "The parameter metric is missing."


@pytest.mark.parametrize("name", ["step_count", "Step_Count", " step_count ", "STEP_COUNT"])
def test_a_metric_is_found_as_its_name_is_kept(desk: Desk, name: str) -> None:
    desk.send(steps(*FIVE), MINUTES)
    assert len(desk.points(name)) == 5


@pytest.mark.parametrize(
    "path", [f"{POINTS}?metric=step_count&", f"{DELIVERIES}?", "/api/v1/gaps?"]
)
@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("2026-05-03", "2026-05-03"),
        ("2026-05-04", "2026-05-03"),
        ("9999-12-31", "0001-01-01"),
        ("0001-01-01", "0001-01-02"),
    ],
)
def test_in_a_stretch_without_time_nothing_is_found(
    desk: Desk, path: str, first: str, last: str
) -> None:
    desk.send(steps(*FIVE), MINUTES)
    assert desk.items(f"{path}from={first}&to={last}") == []


def test_gaps_are_looked_for_in_all_there_is(desk: Desk) -> None:
    for year in (2014, 2026):
        days = [day for day in range(1, 31) if day != 20]
        desk.send(steps(*((f"{year}-05-{day:02} 09:00:00 +0200", 1.5) for day in days)), MINUTES)
    found = desk.items("/api/v1/gaps?from=0001-01-01&to=9999-12-31")
    assert {"2014-05-20", "2026-05-20"} <= {one["from"] for one in found}


def test_a_cursor_of_one_list_is_none_of_another(desk: Desk) -> None:
    desk.send(steps(*FIVE), MINUTES)
    cursor = desk.get(POINTS, metric="step_count", limit="2").json()["next"]
    assert "cursor" in problem(desk.get(DELIVERIES, cursor=cursor), 400)


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        (f"{POINTS}?metric=step_count&", ["p", 1, "fortnight", 0, 0, 0]),
        (f"{DELIVERIES}?", ["d", 1, "../journal.db"]),
    ],
)
def test_a_cursor_made_up_by_the_rules_is_refused_for_what_it_says(
    desk: Desk, path: str, parts: list[Any]
) -> None:
    kind, *rest = parts
    from_nowhere = cursor_text(kind, *rest)
    assert "cursor" in problem(desk.get(f"{path}cursor={from_nowhere}"), 400)


# ---- pages


def followed(desk: Desk, path: str, **params: str) -> list[list[Any]]:
    """The items of each page, by following `next`."""
    pages, more = [], dict(params)
    while True:
        found = desk.get(path, **more).json()
        pages.append(found["items"])
        if found["next"] is None:
            return pages
        more["cursor"] = found["next"]


@pytest.mark.scenario("reading", "Pages join without gap or double")
def test_pages_of_points_join_without_gap_or_double(desk: Desk) -> None:
    desk.send(steps(*FIVE), MINUTES)
    pages = followed(desk, POINTS, metric="step_count", limit="2")
    assert [len(page) for page in pages] == [2, 2, 1]
    assert [item["qty"] for page in pages for item in page] == [quantity for _, quantity in FIVE]


def test_pages_of_deliveries_join_without_gap_or_double(desk: Desk) -> None:
    ids = [desk.send(steps(one), MINUTES).delivery_id for one in FIVE]
    pages = followed(desk, DELIVERIES, limit="2", status="parsed")
    assert [[item["delivery_id"] for item in page] for page in pages] == [
        ids[:2],
        ids[2:4],
        ids[4:],
    ]


def test_pages_of_metrics_join_without_gap_or_double(desk: Desk) -> None:
    names = ["alpha", "beta", "gamma/δ", "omega", "step_count"]
    desk.send(body(*(metric(n, "x", {"date": FIVE[0][0], "qty": 1}) for n in names)), SECONDS)
    pages = followed(desk, METRICS, limit="2")
    assert [len(page) for page in pages] == [2, 2, 1]
    assert [item["name"] for page in pages for item in page] == names


@pytest.mark.parametrize("form", ["csv", "ndjson"])
def test_the_next_page_of_other_forms_is_linked(desk: Desk, form: str) -> None:
    desk.send(steps(*FIVE), MINUTES)
    first = desk.get(POINTS, metric="step_count", limit="2", format=form, from_="2026-05-03")
    target, _, rel = first.headers["link"].partition(">; ")
    assert rel == 'rel="next"'
    second = desk.get(target.removeprefix("<"))
    assert second.headers["content-type"] == first.headers["content-type"]
    third = desk.get(second.headers["link"].partition(">; ")[0].removeprefix("<"))
    assert "link" not in third.headers
    bodies = [reply.body for reply in (first, second, third)]
    assert [part.count(b"minute") for part in bodies] == [2, 2, 1]


# ---- forms


@pytest.mark.scenario("reading", "Lines of JSON on request")
def test_lines_of_json_are_the_items_of_the_list(desk: Desk) -> None:
    desk.send(steps(*FIVE, source="Watch"), MINUTES)
    reply = desk.get(POINTS, metric="step_count", format="ndjson")
    assert reply.headers["content-type"] == "application/x-ndjson"
    lines = reply.body.decode().splitlines()
    assert [json.loads(line) for line in lines] == desk.points("step_count")


@pytest.mark.scenario("reading", "CSV on request")
def test_a_csv_has_numbers_with_a_point_next_to_quoted_sources(desk: Desk) -> None:
    desk.send(steps((FIVE[0][0], 40.25), source="Watch, left"), MINUTES)
    reply = desk.get(POINTS, metric="step_count", format="csv")
    assert reply.headers["content-type"].startswith("text/csv")
    assert reply.body.count(b"\r\n") == reply.body.count(b"\n") == 2
    header, line = reply.body.split(b"\r\n")[:2]
    assert b"qty [count]" in header
    assert b",40.25," in line
    assert b'"Watch, left"' in line
    [row] = csv.DictReader(io.StringIO(reply.body.decode(), newline=""))
    assert (row["qty [count]"], row["unit"], row["sources"]) == ("40.25", "count", "Watch, left")


def test_a_csv_of_two_units_names_them_row_by_row(desk: Desk) -> None:
    first, second = ({"date": date, "qty": 1} for date, _ in FIVE[:2])
    desk.send(body(metric("energy", "kcal", first), metric("energy", "kJ", second)), SECONDS)
    reply = desk.get(POINTS, metric="energy", format="csv")
    rows = list(csv.DictReader(io.StringIO(reply.body.decode(), newline="")))
    assert [(row["qty"], row["unit"]) for row in rows] == [("1", "kcal"), ("1", "kJ")]


@pytest.mark.parametrize("path", LISTS)
def test_every_list_has_every_form(desk: Desk, path: str) -> None:
    desk.send(steps(*FIVE[:1]), MINUTES)
    params = {"metric": "step_count"} if path == POINTS else {}
    [item] = desk.items(path, **params)
    [line] = desk.get(path, format="ndjson", **params).body.splitlines()
    assert json.loads(line).keys() == item.keys()
    header, row, rest = desk.get(path, format="csv", **params).body.decode().split("\r\n")
    columns = next(csv.reader([header]))
    named = {column.partition(".")[0].partition(" [")[0] for column in columns}
    assert named >= item.keys()
    assert len(next(csv.reader([row]))) == len(columns)
    assert rest == ""


def test_a_list_of_nothing_is_a_list(desk: Desk) -> None:
    for path in (METRICS, f"{POINTS}?metric=step_count", DELIVERIES):
        assert desk.get(path).json() == {"items": [], "next": None}
