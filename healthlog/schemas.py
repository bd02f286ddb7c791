"""Shapes of what is answered, as JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from healthlog.layer import LAYERS
from healthlog.model import STATUSES
from healthlog.notices.causes import KINDS as NOTICES
from healthlog.read.view import AMBIGUOUS_SECOND, OTHER_ZONE
from healthlog.read.why import OUTDATED, SAME, STANDS
from healthlog.records.record import KINDS
from healthlog.series.buckets import BUCKETS
from healthlog.series.catalogue import AVG, LAST, SUM

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
DATE: Schema = {"type": "string", "format": "date"}
INSTANT: Schema = {"type": "string", "format": "date-time"}
DATE_OR_INSTANT: Schema = {"anyOf": [DATE, INSTANT]}
ID: Schema = {"type": "string", "pattern": r"^[0-9]{8}T[0-9]{6}\.[0-9]{6}Z-[0-9a-f]{8}$"}

_NUMBER: Schema = {"type": "number"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_FLAG: Schema = {"type": "boolean"}
_SHA256: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_ANYTHING: Schema = {"type": "object"}
_MEASURED: Schema = {"anyOf": [_NUMBER, {"type": "object", "additionalProperties": _NUMBER}]}


def one_of(words: Sequence[str]) -> Schema:
    """A text that is one of these words."""
    return {"type": "string", "enum": list(words)}


def ref(name: str) -> Schema:
    """The schema of that name among those of the document."""
    return {"$ref": f"#/components/schemas/{name}"}


def closed(members: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """An object of these members and no others; `optional` ones may be absent."""
    return {
        "type": "object",
        "properties": {**members, **(optional or {})},
        "required": list(members),
        "additionalProperties": False,
    }


def page_of(item: str) -> Schema:
    """A page of a list."""
    return closed({"items": _list(ref(item)), "next": _or_null(TEXT)})


def schemas() -> dict[str, Schema]:
    """Every schema by its name."""
    return {
        "problem": closed({"type": TEXT, "title": TEXT, "status": _COUNT, "detail": TEXT}),
        **_of_readings(),
        **_of_series(),
        **_of_records(),
        **_of_deliveries(),
        "change": {"oneOf": _changes()},
        "changes": closed({"items": _list(ref("change")), "next": _or_null(TEXT), "cursor": TEXT}),
        "stats": _stats(),
        "refusal": _refusal(),
    }


def _refusal() -> Schema:
    when = {"first_at": INSTANT, "last_at": INSTANT, "times": _COUNT, "status": _COUNT}
    said = dict.fromkeys(("reason", "method", "path", "remote", "content_type", "user_agent"), TEXT)
    return closed(when, said | {"bytes": _COUNT})


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _list(schema: Schema) -> Schema:
    return {"type": "array", "items": schema}


def _map(schema: Schema) -> Schema:
    return {"type": "object", "additionalProperties": schema}


def _of_readings() -> dict[str, Schema]:
    sent = {
        "at": INSTANT,
        "end": INSTANT,
        "unit": TEXT,
        "extra": _ANYTHING,
        **dict.fromkeys(("qty", "min", "avg", "max"), _NUMBER),
    }
    flags = {"flags": _list(one_of((OTHER_ZONE, AMBIGUOUS_SECOND)))}
    said = {"day": DATE, "sources": _list(TEXT)}
    head = {"delivery_id": ID, "received_at": INSTANT, "readings": _list(ref("reading"))}
    of_metric = {"name": TEXT, "layers": _list(one_of(LAYERS)), "first_at": INSTANT}
    return {
        "metric": closed(
            of_metric | {"last_at": INSTANT, "points": _COUNT, "age_s": _COUNT}, {"unit": TEXT}
        ),
        "point": closed(
            {"metric": TEXT, "layer": one_of(LAYERS), **said, "delivery_id": ID}, sent | flags
        ),
        "reading": closed(said, sent),
        "gap": closed(
            {
                "metric": TEXT,
                "kind": one_of(("days", "hours")),
                "from": TEXT,
                "to": TEXT,
                "missing": _COUNT,
                "export": closed({"first": DATE, "last": DATE}),
            }
        ),
        "why": {
            "oneOf": [
                closed(head | {"verdict": one_of((STANDS, SAME, OUTDATED))}),
                closed(head | {"unreadable": {"type": "boolean", "enum": [True]}}),
            ]
        },
    }


def _of_series() -> dict[str, Schema]:
    numbers = dict.fromkeys(("value", "min", "max"), _MEASURED)
    told = {"layer": TEXT, "open": _FLAG, "sources": _list(TEXT)}
    unit = {"unit": _or_null(TEXT)}
    aggregate = {"aggregate": one_of((SUM, AVG, LAST))}
    head = {"metric": TEXT, **unit, "bucket": one_of(BUCKETS), **aggregate}
    when = {"measured_at": INSTANT, "arrived_at": INSTANT, "age_s": _COUNT}
    of_day = told | unit
    also = {"also": _list(closed(of_day, numbers))}
    latest = {**unit, **aggregate, "layer": one_of(LAYERS), **when, "sources": _list(TEXT)}
    heard = {"heard_at": INSTANT, "age_s": _COUNT}
    so_far = {
        "totals": _map(closed(of_day | heard, numbers | also)),
        "latest": _map(closed(latest, numbers)),
    }
    days = {"totals": _map(ref("total")), "levels": _map(ref("level"))}
    return {
        "series_item": closed({"start": DATE_OR_INSTANT, **told}, numbers | unit),
        "series": closed(
            head | {"items": _list(ref("series_item")), "next": _or_null(TEXT)},
        ),
        "latest": closed({"metric": TEXT, **latest}, numbers),
        "now": closed({"at": INSTANT, "day": DATE, "night": _or_null(ref("night")), **so_far}),
        "total": closed(of_day, numbers | also),
        "level": closed(of_day | aggregate, numbers | also),
        "day": closed(
            {"day": DATE, **days, "night": _or_null(ref("night")), "naps": _list(ref("night"))}
            | {"workouts": _list(ref("record")), "notes": _list(ref("note"))}
        ),
    }


def _of_records() -> dict[str, Schema]:
    slept = {"session": TEXT, "day": DATE, "start": INSTANT, "end": INSTANT}
    hours = ("total", "in_bed", "deep", "core", "rem", "awake", "asleep")
    return {
        "record": closed(
            {"kind": one_of(KINDS), "key": TEXT, "data": _ANYTHING, "derived": _ANYTHING}
            | {"flags": _list(TEXT), "delivery_ids": _list(ID)},
            {"start": INSTANT, "end": INSTANT, "day": DATE},
        ),
        "night": closed(
            slept | {"sources": _list(TEXT), "keys": _list(TEXT)},
            {"bed_start": INSTANT, "bed_end": INSTANT, "flags": _list(TEXT)}
            | {f"{name}_h": _NUMBER for name in hours},
        ),
    }


def _of_deliveries() -> dict[str, Schema]:
    fates = ("received", "new", "changed", "same", "outdated", "rejected", "incomparable")
    said = ("automation_id", "automation_name", "aggregation", "period", "session_id")
    size = {"bytes": _COUNT, "sha256": _SHA256}
    receipt = {"delivery_id": ID, "received_at": INSTANT, "parse_status": one_of(STATUSES), **size}
    origins = one_of(("declared", "derived", "inherited"))
    failures = ("malformed", "layer_unknown", "unreadable", "too_large", "deadline", "internal")
    return {
        "receipt": closed(receipt),
        "imported": {
            "oneOf": [
                closed({"known": {"type": "boolean", "enum": [False]}, **receipt}),
                closed({"known": {"type": "boolean", "enum": [True]}, "sha256": _SHA256}),
            ]
        },
        "delivery": closed(
            {
                **receipt,
                **dict.fromkeys(said, _or_null(TEXT)),
                "layer": _or_null(one_of(LAYERS)),
                "layer_origin": _or_null(origins),
                "parser": _or_null(_COUNT),
                "counts": closed(dict.fromkeys(fates, _COUNT)),
                "uncovered": _list(TEXT),
                "rejected": _list(closed({"where": TEXT, "reason": TEXT})),
                "failure": _or_null(closed({"kind": one_of(failures), "message": TEXT})),
                "folded_at": _or_null(INSTANT),
            }
        ),
    }


def _changes() -> list[Schema]:
    edges = {"from": DATE_OR_INSTANT, "to": DATE_OR_INSTANT}
    of_metric = {"metric": TEXT, "layer": one_of(LAYERS)}
    return [
        closed({"what": one_of(("points",)), "fold": _COUNT, **of_metric, **edges}),
        closed(
            {"what": one_of(("record",)), "fold": _COUNT, "kind": one_of(KINDS), "key": TEXT},
        ),
        closed({"what": one_of(("clock",)), "fold": _COUNT}, edges),
    ]


def _stats() -> Schema:
    heard = {"received_at": INSTANT, "age_s": _COUNT}
    passes = ("last_pass_started_at", "last_pass_finished_at")
    of_mart = {"points": _COUNT, "records": _map(_COUNT), "schema": _COUNT, "parser": _COUNT}
    of_bot = {"receiving": _FLAG, "trouble": _or_null(TEXT), "last_poll_at": _or_null(INSTANT)}
    under_way = {"done": _COUNT, "total": _COUNT, "reason": TEXT, "started_at": INSTANT}
    return closed(
        {
            "version": TEXT,
            "deliveries": closed(dict.fromkeys(STATUSES, _COUNT)),
            "oldest_pending": _or_null(closed({"delivery_id": ID, **heard})),
            "archive": closed({"bodies": _COUNT, "bytes": _COUNT}),
            "mart": closed(of_mart),
            "worker": closed(
                {"alive": _FLAG}
                | dict.fromkeys(passes, _or_null(INSTANT))
                | dict.fromkeys(("passes", "folded"), _or_null(_COUNT))
            ),
            "rebuild": _or_null(closed(under_way)),
            "last_delivery": _map(closed({"name": _or_null(TEXT), **heard})),
            "notices": closed({"last_at": _or_null(INSTANT), "open": _list(one_of(NOTICES))}),
            "recordings": closed(
                {"stopped": _COUNT, "workers": _COUNT},
                {"missing": _list(TEXT), "telegram": closed(of_bot)},
            )
            | {"additionalProperties": _COUNT},
        }
    )
