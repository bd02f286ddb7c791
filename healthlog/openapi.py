"""Every call in the form that programs read: OpenAPI 3.1."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from healthlog.base.answers import PROBLEM_TYPE
from healthlog.formats import NDJSON_TYPE
from healthlog.imports.door import JOURNAL, SAID_AT
from healthlog.layer import LAYERS
from healthlog.model import STATUSES
from healthlog.params import CURSOR_MAX_CHARACTERS, FORMATS, LIMIT, LIMIT_MAX
from healthlog.records.record import KINDS
from healthlog.schemas import (
    DATE,
    DATE_OR_INSTANT,
    ID,
    INSTANT,
    TEXT,
    Schema,
    closed,
    one_of,
    page_of,
    ref,
    schemas,
)
from healthlog.series.buckets import BUCKETS
from healthlog.series_params import WHY_LIMIT
from healthlog.version import VERSION

_JSON = "application/json"
_IN_PATH = re.compile(r"\{([a-z_]+)\}")
_NOT_BLANK: Schema = {"type": "string", "pattern": r"\S"}
_KEY: Schema = {"type": "string", "pattern": r"^[^\x00-\x1f\x7f]+$"}
_ZONE: Schema = {"type": "string", "minLength": 1}
_CURSOR: Schema = {
    "type": "string",
    "pattern": "^[A-Za-z0-9_-]+$",
    "maxLength": CURSOR_MAX_CHARACTERS,
}

_REFUSALS: Mapping[int, str] = {
    400: "A parameter or header is wrong, or the body",
    401: "The token is missing, wrong, or not the one for this call",
    404: "There is no such thing",
    408: "The body was not complete in time",
    409: "Another journal is meant",
    410: "It is gone: a body that is missing or damaged, a cursor of another mart",
    413: "The body is too large",
    415: "The body is no JSON, or packed in another way than gzip",
    500: "Something went wrong; the log says what",
    503: "It could not be done now; Retry-After says when to come back",
    507: "The disk is full",
}
_ALWAYS = (400, 500, 503)
_UPLOAD = (408, 413, 415, 507)


@dataclass(frozen=True, slots=True)
class _Call:
    """One call. `needed` and `query` are its parameters by name, `headers` those of its head;
    `content` is what a 200 has, by media type; `refusals` are its statuses beyond the usual."""

    method: str
    path: str
    summary: str
    content: Mapping[str, Schema]
    needed: Mapping[str, Schema] = field(default_factory=dict)
    query: Mapping[str, Schema] = field(default_factory=dict)
    headers: Mapping[str, Schema] = field(default_factory=dict)
    refusals: tuple[int, ...] = ()
    body: bool = False
    open: bool = False


def document() -> dict[str, Any]:
    """The whole document, as JSON has it."""
    paths: dict[str, dict[str, Any]] = {}
    for call in (*_doors(), *_state(), *_lists(), *_single(), *_journal()):
        paths.setdefault(call.path, {})[call.method.lower()] = _operation(call)
    bearer = {"type": "http", "scheme": "bearer"}
    key = {"type": "apiKey", "in": "header", "name": "X-API-Key"}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "healthlog",
            "version": VERSION,
            "description": "The ingest token opens POST /ingest alone, the read token all else.",
        },
        "security": [{"bearer": []}, {"key": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"bearer": bearer, "key": key},
            "schemas": schemas(),
            "responses": {str(status): _refusal(status) for status in _REFUSALS},
        },
    }


def _doors() -> tuple[_Call, ...]:
    names = ("automation-name", "automation-id", "automation-aggregation", "automation-period")
    said = dict.fromkeys((*names, "session-id"), TEXT)
    door = {JOURNAL: TEXT, SAID_AT: INSTANT} | dict.fromkeys((names[0], names[2]), TEXT)
    return (
        _Call(
            *("POST", "/ingest", "Take one delivery", {_JSON: ref("receipt")}),
            headers=said,
            refusals=_UPLOAD,
            body=True,
        ),
        _Call(
            *("POST", "/api/v1/import", "Take one body of a file", {_JSON: ref("imported")}),
            headers=door,
            refusals=(*_UPLOAD, 409),
            body=True,
        ),
    )


def _state() -> tuple[_Call, ...]:
    health = closed({"status": one_of(("ok",))})
    return (
        _Call("GET", "/healthz", "Whether the door is open", {_JSON: health}, open=True),
        _Call("GET", "/openapi.json", "This document", {_JSON: {"type": "object"}}),
        _Call("GET", "/stats", "What the service is doing", {_JSON: ref("stats")}),
    )


def _lists() -> tuple[_Call, ...]:
    metric, layer = {"metric": _NOT_BLANK}, {"layer": one_of(LAYERS)}
    span = {"from": DATE_OR_INSTANT, "to": DATE_OR_INSTANT}
    paged = {"limit": _limit(), "cursor": _CURSOR, "format": {**one_of(FORMATS), "default": "json"}}
    bucket = {"bucket": one_of(BUCKETS)}
    series = {**span, **layer, "unit": _NOT_BLANK, "tz": _ZONE, **paged}
    at = {"at": DATE_OR_INSTANT}
    few = {**paged, "limit": _limit(WHY_LIMIT)}
    kind, status = {"kind": one_of(KINDS)}, {"status": one_of(STATUSES)}
    api = "/api/v1"
    return tuple(
        _Call("GET", f"{api}/{path}", summary, _listed(shape), needed=needed, query=query)
        for path, summary, shape, needed, query in (
            ("metrics", "Every metric there is", page_of("metric"), {}, paged),
            ("points", "Readings as folded", page_of("point"), metric, {**layer, **span, **paged}),
            ("series", "One value a bucket", ref("series"), metric | bucket, series),
            ("latest", "The latest of each level", page_of("latest"), {}, paged),
            ("why", "Who said what of a number", page_of("why"), metric | layer | at, few),
            ("records", "All that is no metric", page_of("record"), {}, {**kind, **span, **paged}),
            ("deliveries", "The journal", page_of("delivery"), {}, {**status, **span, **paged}),
        )
    )


def _single() -> tuple[_Call, ...]:
    return (
        _Call("GET", "/api/v1/days/{day}", "One day", {_JSON: ref("day")}),
        _Call(
            *("GET", "/api/v1/records/{kind}/{key}", "One record", {_JSON: ref("record")}),
            refusals=(404,),
        ),
        _Call(
            *("GET", "/api/v1/changes", "What changed since", {_JSON: ref("changes")}),
            query={"since": _CURSOR, "limit": _limit()},
            refusals=(410,),
        ),
    )


def _journal() -> tuple[_Call, ...]:
    one = "/api/v1/deliveries/{id}"
    return (
        _Call("GET", one, "One delivery", {_JSON: ref("delivery")}, refusals=(404,)),
        # Its media type is what the sender called it.
        _Call("GET", f"{one}/body", "Its body as received", {"*/*": {}}, refusals=(404, 410)),
    )


def _limit(usual: int = LIMIT) -> Schema:
    return {"type": "integer", "minimum": 1, "maximum": LIMIT_MAX, "default": usual}


def _listed(page: Schema) -> dict[str, Schema]:
    return {_JSON: page, "text/csv": TEXT, NDJSON_TYPE: TEXT}


def _operation(call: _Call) -> dict[str, Any]:
    refusals = {*_ALWAYS, *call.refusals, *(() if call.open else (401,))}
    said: dict[str, Any] = {
        "summary": call.summary,
        "operationId": _operation_id(call),
        "parameters": _parameters(call),
        "responses": {
            "200": _answer(call),
            **{str(one): {"$ref": f"#/components/responses/{one}"} for one in sorted(refusals)},
        },
    }
    if call.open:
        said["security"] = []
    if call.body:
        said["requestBody"] = {"required": True, "content": {_JSON: {"schema": {"type": "object"}}}}
    return said


def _operation_id(call: _Call) -> str:
    words = re.findall(r"[a-z0-9]+", call.path.removeprefix("/api/v1"))
    return "_".join((call.method.lower(), *words))


def _parameters(call: _Call) -> list[dict[str, Any]]:
    in_path = {"day": DATE, "kind": one_of(KINDS), "key": _KEY}
    in_path["id"] = ID
    return [
        *(_parameter("path", name, in_path[name], True) for name in _IN_PATH.findall(call.path)),
        *(_parameter("query", name, schema, True) for name, schema in call.needed.items()),
        *(_parameter("query", name, schema, False) for name, schema in call.query.items()),
        *(_parameter("header", name, one, name == JOURNAL) for name, one in call.headers.items()),
    ]


def _parameter(place: str, name: str, schema: Schema, required: bool) -> dict[str, Any]:
    return {"name": name, "in": place, "required": required, "schema": schema}


def _answer(call: _Call) -> dict[str, Any]:
    content = {kind: {"schema": schema} for kind, schema in call.content.items()}
    said: dict[str, Any] = {"description": call.summary, "content": content}
    if "format" in call.query:
        link = "Of csv and ndjson: the address of the next page (RFC 8288)"
        said["headers"] = {"Link": {"description": link, "schema": TEXT}}
    return said


def _refusal(status: int) -> dict[str, Any]:
    content = {PROBLEM_TYPE: {"schema": ref("problem")}}
    said: dict[str, Any] = {"description": _REFUSALS[status], "content": content}
    if status == 503:
        said["headers"] = {"Retry-After": {"schema": {"type": "integer", "minimum": 1}}}
    return said
