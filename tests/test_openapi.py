"""The description of the calls against the calls."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any
from urllib.parse import quote

import pytest

from healthlog.base.answers import PROBLEM_TYPE
from healthlog.layer import LAYERS
from healthlog.model import STATUSES
from healthlog.openapi import document
from healthlog.series.buckets import BUCKETS
from healthlog.series.series import LAYERS_OF
from tests.support.folding import CASES
from tests.support.json_schema import faults, resolved
from tests.support.loopback import Reply
from tests.support.reading import MINUTES, Desk, body, metric, steps
from tests.support.sources import sources
from tests.support.spoken import call, change, hear, send, sent

DOCUMENT = json.loads(json.dumps(document()))
CALLS = [
    (method.upper(), path, operation)
    for path, operations in DOCUMENT["paths"].items()
    for method, operation in operations.items()
]
GETS = [(path, operation) for method, path, operation in CALLS if method == "GET"]
# Asked without any look at what stands behind the question mark.
ASKED = [(path, operation) for path, operation in GETS if path != "/healthz"]
API = "/api/v1"
SENDER = ("Authorization: Bearer ingest",)


def named(operation: dict[str, Any], place: str) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in operation["parameters"] if one["in"] == place}


@cache
def known_words() -> frozenset[str]:
    """Every word in the modules that read parameters: the names of all of them, and others."""
    files = [one for one in sources("healthlog") if one.module.endswith((".handlers", "_params"))]
    texts = (
        node.value
        for file in files
        for node in ast.walk(file.tree)
        if isinstance(node, ast.Constant)
    )
    word = re.compile(r"[a-z_]{2,15}")
    return frozenset(text for text in texts if isinstance(text, str) and word.fullmatch(text))


def wrong(reply: Reply, path: str, operation: dict[str, Any]) -> list[str]:
    """What is wrong with an answer by the description of its call."""
    said = operation["responses"].get(str(reply.status))
    if said is None:
        return [f"{path}: {reply.status} is not described"]
    said = resolved(said["$ref"], DOCUMENT) if "$ref" in said else said
    kind = reply.headers["content-type"].partition(";")[0]
    if "*/*" in said["content"]:
        return []
    if kind not in said["content"]:
        return [f"{path}: {kind} is not described"]
    if kind not in {"application/json", PROBLEM_TYPE}:
        return []
    found = faults(reply.json(), said["content"][kind]["schema"], DOCUMENT)
    return [f"{path} {reply.status}: {fault}" for fault in found]


@pytest.fixture
def filled(desk: Desk) -> Desk:
    """Every case of the format, a pair, a range, a unit that can't be converted, a delivery that
    waits, one whose body is lost."""
    since = desk.get("/api/v1/changes").json()["cursor"]
    (desk.house.data.parent / "since").write_text(since)
    for path in sorted(CASES.iterdir()):
        desk.send(path.read_bytes())
        desk.send(path.read_bytes(), MINUTES, session_id="S-1", period="Today")
    day = "2026-05-03 09:00:00 +0200"
    pair = metric("blood_pressure", "mmHg", {"date": day, "systolic": 120, "diastolic": 80})
    strange = metric("heart_rate", "furlong", {"date": day, "Min": 60, "Avg": 61, "Max": 62})
    desk.send(body(pair, strange), MINUTES)
    lost = desk.send(steps(("2026-05-03 09:30:00 +0200", 5)), MINUTES)
    desk.house.archive.body_path(lost.delivery_id).unlink()
    desk.keep(steps(("2026-05-03 09:31:00 +0200", 5)), MINUTES)
    fill_recordings(desk)
    return desk


def fill_recordings(desk: Desk) -> None:
    """One that is done, with all that a person may write; one that is stopped, one that waits."""
    done, stopped = sent(desk, title="Walk", recorded_at="2026-05-03T09:00:00+02:00"), sent(desk)
    hear(desk, done)
    change(desk, done, owner="Ada", summary="A fox.", topics=["a"], corrected_text="Fox.")
    call(desk, "POST", f"/{stopped}/stop")
    sent(desk)


# ---- every call


@pytest.mark.scenario("reading", "Every call is described")
def test_every_call_is_described_with_its_path_and_security(desk: Desk) -> None:
    scopes = {(one.method, one.pattern): one.scope for one in desk.routes() if not one.page}
    assert {(method, path) for method, path, _ in CALLS} == scopes.keys()
    for method, path, operation in CALLS:
        assert list(named(operation, "path")) == re.findall(r"\{(\w+)\}", path)
        assert (operation.get("security") == []) == (scopes[method, path] is None)
        assert ("401" in operation["responses"]) == (scopes[method, path] is not None)


@pytest.mark.scenario("reading", "Every call is described")
@pytest.mark.parametrize(("path", "operation"), ASKED, ids=[path for path, _ in ASKED])
def test_the_parameters_described_are_those_that_are_taken(
    desk: Desk, path: str, operation: dict[str, Any]
) -> None:
    said = named(operation, "query")
    names = known_words() | {one for _, other in GETS for one in named(other, "query")}
    target = path.format(day="2026-05-03", kind="sleep", key="x", id="x")
    taken = set()
    for name in names:
        reply = desk.get(f"{target}?{name}=1")
        unknown = f"The parameter {name} is not known here.".encode()
        if not (reply.status == 400 and unknown in reply.body):
            taken.add(name)
    assert taken == said.keys()


@pytest.mark.scenario("reading", "Every call is described")
@pytest.mark.parametrize(("path", "operation"), ASKED, ids=[path for path, _ in ASKED])
def test_what_is_needed_and_the_limits_are_as_described(
    desk: Desk, path: str, operation: dict[str, Any]
) -> None:
    parameters = named(operation, "query")
    needed = {name: good(one) for name, one in parameters.items() if one["required"]}
    target = path.format(day="2026-05-03", kind="sleep", key="x", id="x")
    found = 404 if "{key}" in path or "{id}" in path else 200  # there is no such thing
    for name, one in parameters.items():
        others = {key: value for key, value in needed.items() if key != name}
        status = desk.get(target, **others).status
        assert (status == 400) == one["required"], name
        for value in goods(one, path):
            assert desk.get(target, **{**others, name: value}).status == found, (name, value)
        for value in bads(one):
            assert desk.get(target, **{**others, name: value}).status == 400, (name, value)


def good(parameter: dict[str, Any]) -> str:
    by_name = {"metric": "step_count", "at": "2026-05-03", "bucket": "year", "layer": "day"}
    return by_name[parameter["name"]]


def goods(parameter: dict[str, Any], path: str) -> Iterator[str]:
    schema = parameter["schema"]
    if "enum" in schema and not (parameter["name"] == "layer" and path.endswith("/series")):
        yield from schema["enum"]
    if "maximum" in schema:
        yield from (str(schema["minimum"]), str(schema["maximum"]))
    if "anyOf" in schema:
        yield from ("2026-05-03", "2026-05-03T10:00:00Z", "2026-05-03T10:00:00.5+02:00")


def bads(parameter: dict[str, Any]) -> Iterator[str]:
    schema = parameter["schema"]
    if "enum" in schema:
        yield from ("", "nothing")
    if "maximum" in schema:
        yield from (str(schema["minimum"] - 1), str(schema["maximum"] + 1), "1.5", "")
    if "anyOf" in schema:
        yield from ("", "2026", "2026-02-30", "10:00")
    if schema.get("pattern") == r"\S":
        yield from ("", "  ")


def test_the_layers_of_a_series_are_those_of_some_bucket() -> None:
    assert set().union(*(LAYERS_OF[bucket] for bucket in BUCKETS)) == set(LAYERS)


# ---- answers


def addresses(desk: Desk) -> Iterator[tuple[str, str]]:
    """Every address of the filled log, each with the path it is described under."""
    for name in ("metrics", "latest", "records", "deliveries"):
        yield f"{API}/{name}", f"{API}/{name}"
        for form in ("csv", "ndjson"):
            yield f"{API}/{name}?limit=2&format={form}", f"{API}/{name}"
    for path in (
        "/healthz",
        "/stats",
        "/metrics",
        f"{API}/gaps",
        "/openapi.json",
        f"{API}/changes",
        f"{API}/refusals",
        f"{API}/now",
    ):
        yield path, path
    since = (desk.house.data.parent / "since").read_text()
    yield f"{API}/changes?since={since}", f"{API}/changes"
    for one in desk.items(f"{API}/deliveries"):
        for end in ("", "/body"):
            path = f"{API}/deliveries/{one['delivery_id']}{end}"
            yield path, f"{API}/deliveries/{{id}}{end}"
    yield from of_metrics(desk)
    yield from of_records(desk)
    yield from of_recordings(desk)


def of_metrics(desk: Desk) -> Iterator[tuple[str, str]]:
    for one in desk.items(f"{API}/metrics"):
        yield f"{API}/points?metric={one['name']}", f"{API}/points"
        for bucket in BUCKETS:
            yield f"{API}/series?metric={one['name']}&bucket={bucket}", f"{API}/series"
    for point in desk.points("step_count"):
        at = quote(point.get("at", point["day"]))
        yield f"{API}/why?metric=step_count&layer={point['layer']}&at={at}", f"{API}/why"


def of_records(desk: Desk) -> Iterator[tuple[str, str]]:
    records = desk.items(f"{API}/records")
    for record in records:
        key = quote(record["key"], safe="")
        yield f"{API}/records/{record['kind']}/{key}", f"{API}/records/{{kind}}/{{key}}"
    for day in sorted({"2026-05-03", *(one["day"] for one in records if "day" in one)}):
        yield f"{API}/days/{day}", f"{API}/days/{{day}}"


def of_recordings(desk: Desk) -> Iterator[tuple[str, str]]:
    one = f"{API}/recordings/{{id}}"
    for form in ("json", "csv", "ndjson"):
        yield f"{API}/recordings?limit=2&format={form}", f"{API}/recordings"
    for item in desk.items(f"{API}/recordings"):
        path = f"{API}/recordings/{item['recording_id']}"
        for end in ("", "/audio", "/transcript"):
            yield path + end, one + end
        for form in ("txt", "srt", "vtt", "json"):
            yield f"{path}/transcript?format={form}", f"{one}/transcript"


@pytest.mark.scenario("reading", "Answers have the shapes described")
def test_answers_of_a_filled_log_have_the_shapes_described(filled: Desk) -> None:
    operations = dict(GETS)
    seen = set()
    for address, path in addresses(filled):
        reply = filled.get(address)
        seen.add((path, reply.status))
        assert wrong(reply, address, operations[path]) == []
    assert {path for path, status in seen if status == 200} == operations.keys()
    statuses = {one["parse_status"] for one in filled.items("/api/v1/deliveries")}
    assert statuses == set(STATUSES)


@pytest.mark.scenario("reading", "Answers have the shapes described")
def test_problems_have_the_shape_described(filled: Desk) -> None:
    for path, operation in ASKED:
        target = path.format(day="2026-05-03", kind="sleep", key="x", id="x")
        for reply in (filled.get(f"{target}?zz=1"), filled.get(target, "X-Nothing: x")):
            assert reply.status in {400, 401}
            assert wrong(reply, path, operation) == []
    for path in ("/api/v1/records/{kind}/{key}", "/api/v1/deliveries/{id}"):
        reply = filled.get(path.format(kind="sleep", key="x", id="x"))
        assert reply.status == 404
        assert wrong(reply, path, dict(GETS)[path]) == []


@pytest.mark.scenario("reading", "Answers have the shapes described")
@pytest.mark.parametrize("content", [steps(("2026-05-03 09:00:00 +0200", 1)), b"", b"[]"])
def test_the_receipt_of_a_delivery_has_the_shape_described(desk: Desk, content: bytes) -> None:
    [operation] = [one for method, path, one in CALLS if (method, path) == ("POST", "/ingest")]
    reply = desk.post(content, *SENDER)
    assert reply.status == (200 if content.startswith(b"{") else 400)
    assert wrong(reply, "/ingest", operation) == []


@pytest.mark.scenario("reading", "Answers have the shapes described")
def test_answers_about_recordings_have_the_shapes_described(desk: Desk) -> None:
    said = {(method, path): one for method, path, one in CALLS}
    one = f"{API}/recordings/{{id}}"

    def described(method: str, path: str, reply: Reply, status: int) -> None:
        assert reply.status == status, reply.body
        assert wrong(reply, path, said[method, path]) == []

    described("POST", "/recordings", send(desk), 201)
    described("POST", "/recordings", send(desk, b""), 400)
    described("POST", "/recordings", send(desk, kind="text/plain"), 415)
    made = sent(desk)
    described("PATCH", one, change(desk, made, title="x"), 200)
    described("PATCH", one, change(desk, made, title=5), 400)
    described("POST", f"{one}/stop", call(desk, "POST", f"/{made}/stop"), 200)
    described("POST", f"{one}/stop", call(desk, "POST", f"/{made}/stop"), 409)
    described("POST", f"{one}/resume", call(desk, "POST", f"/{made}/resume"), 200)
    described("POST", f"{one}/resume", call(desk, "POST", f"/{made}/resume"), 409)
    every = f"{API}/recordings/resume"
    described("POST", every, call(desk, "POST", "/resume?reason=stuck"), 200)
    described("POST", every, call(desk, "POST", "/resume"), 400)
    assert call(desk, "DELETE", f"/{made}").status == 204
    described("DELETE", one, call(desk, "DELETE", f"/{made}"), 404)
    audio = said["GET", f"{one}/audio"]["responses"]
    assert audio.keys() >= {"200", "206", "304", "404", "410", "416"}


# The rest asks whether the tests above could fail at all.


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"day": "yesterday"}, "$.day: 'yesterday' is no date"),
        ({"extra_member": 1}, "$: extra_member is not described"),
        ({"qty": True}, "$.qty: True is no number"),
        ({"layer": "second"}, "$.layer: 'second' is none of"),
        ({"sources": [1]}, "$.sources[0]: 1 is no string"),
    ],
)
def test_a_point_of_another_shape_is_seen(change: dict[str, Any], fault: str) -> None:
    point = {
        "metric": "step_count",
        "layer": "minute",
        "day": "2026-05-03",
        "sources": [],
        "delivery_id": "20260802T080142.123456Z-5f3a9c1e",
    }
    schema = {"$ref": "#/components/schemas/point"}
    assert list(faults(point, schema, DOCUMENT)) == []
    [found] = faults(point | change, schema, DOCUMENT)
    assert found.startswith(fault)
    assert list(faults({**point, "metric": 1}, schema, DOCUMENT)) != []
