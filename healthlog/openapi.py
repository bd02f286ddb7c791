"""Every call in the form that programs read: OpenAPI 3.1."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from healthlog import openapi_recordings
from healthlog.api_call import JSON, Call
from healthlog.base.answers import PROBLEM_TYPE
from healthlog.formats import NDJSON_TYPE
from healthlog.imports.door import JOURNAL, SAID_AT
from healthlog.layer import LAYERS
from healthlog.model import STATUSES
from healthlog.params import CURSOR_MAX_CHARACTERS, FORMATS, LIMIT, LIMIT_MAX, SWITCH
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

_IN_PATH = re.compile(r"\{([a-z_]+)\}")
_NOT_BLANK: Schema = {"type": "string", "pattern": r"\S"}
_KEY: Schema = {"type": "string", "pattern": r"^[^\x00-\x1f\x7f]+$"}
_ZONE: Schema = {"type": "string", "minLength": 1}
_OBJECT = {JSON: {"type": "object"}}
_CURSOR: Schema = {
    "type": "string",
    "pattern": "^[A-Za-z0-9_-]+$",
    "maxLength": CURSOR_MAX_CHARACTERS,
}
_ROUTES: Mapping[str, Schema] = {"routes": {**one_of(SWITCH), "default": SWITCH[0]}}

_REFUSALS: Mapping[int, str] = {
    400: "A parameter or header is wrong, or the body",
    401: "The token is missing, wrong, or not the one for this call",
    404: "There is no such thing",
    408: "The body was not complete in time",
    409: "Another journal is meant, or it isn't in the state for that",
    410: "It is gone: a body or file that is missing or damaged, a cursor of another mart",
    413: "The body is too large",
    415: "The body is of a kind that isn't taken here, or packed in another way than gzip",
    416: "The range begins behind the end",
    500: "Something went wrong; the log says what",
    503: "It could not be done now; Retry-After says when to come back",
    507: "The disk is full",
}
_ALWAYS = (400, 500, 503)
_UPLOAD = (408, 413, 415, 507)


def document() -> dict[str, Any]:
    """The whole document, as JSON has it."""
    paths: dict[str, dict[str, Any]] = {}
    for call in (*_doors(), *_state(), *_lists(), *_single(), *_journal(), *_recordings()):
        paths.setdefault(call.path, {})[call.method.lower()] = _operation(call)
    bearer = {"type": "http", "scheme": "bearer"}
    key = {"type": "apiKey", "in": "header", "name": "X-API-Key"}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "healthlog",
            "version": VERSION,
            "description": "The ingest token opens POST /ingest and POST /recordings,"
            " the read token all else.",
        },
        "security": [{"bearer": []}, {"key": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"bearer": bearer, "key": key},
            "schemas": {**schemas(), **openapi_recordings.schemas()},
            "responses": {str(status): _refusal(status) for status in _REFUSALS},
        },
    }


def _doors() -> tuple[Call, ...]:
    names = ("automation-name", "automation-id", "automation-aggregation", "automation-period")
    said = dict.fromkeys((*names, "session-id"), TEXT)
    door = {JOURNAL: TEXT, SAID_AT: INSTANT} | dict.fromkeys((names[0], names[2]), TEXT)
    return (
        Call(
            *("POST", "/ingest", "Take one delivery", {JSON: ref("receipt")}),
            headers=said,
            refusals=_UPLOAD,
            body=_OBJECT,
        ),
        Call(
            *("POST", "/api/v1/import", "Take one body of a file", {JSON: ref("imported")}),
            headers=door,
            must=(JOURNAL,),
            refusals=(*_UPLOAD, 409),
            body=_OBJECT,
        ),
    )


def _state() -> tuple[Call, ...]:
    health = closed({"status": one_of(("ok",))})
    return (
        Call("GET", "/healthz", "Whether the door is open", {JSON: health}, open=True),
        Call("GET", "/openapi.json", "This document", {JSON: {"type": "object"}}),
        Call("GET", "/metrics", "Counts for Prometheus", {"text/plain": TEXT}),
        Call("GET", "/stats", "What the service is doing", {JSON: ref("stats")}),
        Call(
            "GET",
            "/api/v1/refusals",
            "The requests refused last, the last one first",
            {JSON: page_of("refusal")},
        ),
    )


def _lists() -> tuple[Call, ...]:
    metric, layer = {"metric": _NOT_BLANK}, {"layer": one_of(LAYERS)}
    span = {"from": DATE_OR_INSTANT, "to": DATE_OR_INSTANT}
    paged = _paged()
    bucket = {"bucket": one_of(BUCKETS)}
    series = {**span, **layer, "unit": _NOT_BLANK, "tz": _ZONE, **paged}
    at = {"at": DATE_OR_INSTANT}
    few = {**paged, "limit": _limit(WHY_LIMIT)}
    kind, status = {"kind": one_of(KINDS)}, {"status": one_of(STATUSES)}
    wanted = {**span, **_ROUTES, **paged}
    api = "/api/v1"
    return tuple(
        Call("GET", f"{api}/{path}", summary, _listed(shape), needed=needed, query=query)
        for path, summary, shape, needed, query in (
            ("metrics", "Every metric there is", page_of("metric"), {}, paged),
            ("points", "Readings as folded", page_of("point"), metric, {**layer, **span, **paged}),
            ("series", "One value a bucket", ref("series"), metric | bucket, series),
            ("latest", "The latest of each level", page_of("latest"), {}, paged),
            ("gaps", "What is missing", page_of("gap"), {}, {**span, "format": paged["format"]}),
            ("why", "Who said what of a number", page_of("why"), metric | layer | at, few),
            ("records", "All that is no metric", page_of("record"), {}, {**kind, **wanted}),
            ("deliveries", "The journal", page_of("delivery"), {}, {**status, **span, **paged}),
        )
    )


def _single() -> tuple[Call, ...]:
    return (
        Call("GET", "/api/v1/now", "Today so far, the latest", {JSON: ref("now")}),
        Call("GET", "/api/v1/days/{day}", "One day", {JSON: ref("day")}),
        Call(
            *("GET", "/api/v1/records/{kind}/{key}", "One record", {JSON: ref("record")}),
            query=_ROUTES,
            refusals=(404,),
        ),
        Call(
            *("GET", "/api/v1/changes", "What changed since", {JSON: ref("changes")}),
            query={"since": _CURSOR, "limit": _limit()},
            refusals=(410,),
        ),
    )


def _journal() -> tuple[Call, ...]:
    one = "/api/v1/deliveries/{id}"
    return (
        Call("GET", one, "One delivery", {JSON: ref("delivery")}, refusals=(404,)),
        # Its media type is what the sender called it.
        Call("GET", f"{one}/body", "Its body as received", {"*/*": {}}, refusals=(404, 410)),
    )


def _recordings() -> tuple[Call, ...]:
    return openapi_recordings.calls(_paged())


def _paged() -> dict[str, Schema]:
    form: Schema = {**one_of(FORMATS), "default": "json"}
    return {"limit": _limit(), "cursor": _CURSOR, "format": form}


def _limit(usual: int = LIMIT) -> Schema:
    return {"type": "integer", "minimum": 1, "maximum": LIMIT_MAX, "default": usual}


def _listed(page: Schema) -> dict[str, Schema]:
    return {JSON: page, "text/csv": TEXT, NDJSON_TYPE: TEXT}


def _operation(call: Call) -> dict[str, Any]:
    refusals = {*_ALWAYS, *call.refusals, *(() if call.open else (401,))}
    said: dict[str, Any] = {
        "summary": call.summary,
        "operationId": _operation_id(call),
        "parameters": _parameters(call),
        "responses": {
            **{str(status): _answer(call) for status in call.statuses},
            **{str(one): {"$ref": f"#/components/responses/{one}"} for one in sorted(refusals)},
        },
    }
    if call.open:
        said["security"] = []
    if call.body:
        content = {kind: {"schema": schema} for kind, schema in call.body.items()}
        said["requestBody"] = {"required": True, "content": content}
    return said


def _operation_id(call: Call) -> str:
    words = re.findall(r"[a-z0-9]+", call.path.removeprefix("/api/v1"))
    return "_".join((call.method.lower(), *words))


def _parameters(call: Call) -> list[dict[str, Any]]:
    in_path = {"day": DATE, "kind": one_of(KINDS), "key": _KEY}
    in_path["id"] = ID
    return [
        *(_parameter("path", name, in_path[name], True) for name in _IN_PATH.findall(call.path)),
        *(_parameter("query", name, schema, True) for name, schema in call.needed.items()),
        *(_parameter("query", name, schema, False) for name, schema in call.query.items()),
        *(_parameter("header", name, one, name in call.must) for name, one in call.headers.items()),
    ]


def _parameter(place: str, name: str, schema: Schema, required: bool) -> dict[str, Any]:
    return {"name": name, "in": place, "required": required, "schema": schema}


def _answer(call: Call) -> dict[str, Any]:
    content = {kind: {"schema": schema} for kind, schema in call.content.items()}
    said: dict[str, Any] = {"description": call.summary}
    if content:
        said["content"] = content
    if "cursor" in call.query and "format" in call.query:
        link = "Of csv and ndjson: the address of the next page (RFC 8288)"
        said["headers"] = {"Link": {"description": link, "schema": TEXT}}
    return said


def _refusal(status: int) -> dict[str, Any]:
    content = {PROBLEM_TYPE: {"schema": ref("problem")}}
    said: dict[str, Any] = {"description": _REFUSALS[status], "content": content}
    if status == 503:
        said["headers"] = {"Retry-After": {"schema": {"type": "integer", "minimum": 1}}}
    return said
