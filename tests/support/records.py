"""Records that tests send, and records as they are read back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from healthlog.hae.parse import Parsed, parse
from healthlog.mart import record_rows
from healthlog.model import Rejected
from healthlog.moment import Moments
from healthlog.read import records as read_records
from healthlog.read.records import Page
from healthlog.records.record import Record, RecordWord
from healthlog.records.span import Span as RecordSpan
from healthlog.records.span import span
from healthlog.span import Span
from tests.support.folding import Bench, no_check

EVERYTHING = Span()


def sections(**contents: object) -> bytes:
    """A body of these sections."""
    return json.dumps({"data": contents}, ensure_ascii=False).encode()


def nights(*elements: object, name: str = "sleep_analysis", units: object = "hr") -> bytes:
    """A body of nights or segments."""
    return sections(metrics=[{"name": name, "units": units, "data": list(elements)}])


def night(start: str, end: str, **more: object) -> dict[str, object]:
    return {"sleepStart": start, "sleepEnd": end, "source": "Watch", **more}


def segment(start: str, end: str, value: object = "Core", **more: object) -> dict[str, object]:
    return {"startDate": start, "endDate": end, "value": value, "source": "Watch", **more}


def workout(number: int = 1, **more: object) -> dict[str, object]:
    """A workout of version 2, half an hour on 1 June."""
    return {
        "id": f"0C0C0C0C-0000-4000-8000-{number:012X}",
        "name": "Walking",
        "start": "2026-06-01 12:00:00 +0200",
        "end": "2026-06-01 12:30:00 +0200",
        **more,
    }


def without(element: Mapping[str, object], *names: str) -> dict[str, object]:
    return {name: value for name, value in element.items() if name not in names}


def parsed(content: bytes, latest_ms: int | None = None) -> Parsed:
    return parse(content, latest_ms, no_check)


def word(content: bytes) -> RecordWord:
    """The only word of a body, nothing of which is rejected."""
    found = parsed(content)
    assert rejected(found) == {}
    [only] = found.records
    return only


def rejected(found: Parsed) -> dict[str, str]:
    """Reasons by place."""
    return {one.where: one.reason for one in found.metrics.rejections.listed}


def reasons(listed: tuple[Rejected, ...]) -> dict[str, str]:
    return {one.where: one.reason for one in listed}


def span_of(kind: str, data: dict[str, Any]) -> RecordSpan:
    return span(kind, data, Moments())


def listed(
    bench: Bench, kind: str | None = None, where: Span = EVERYTHING, **asked: Any
) -> list[dict[str, Any]]:
    """The records of a mart as a page lists them."""
    return pages(bench, kind, where, **{"limit": 1_000, **asked}).items


def pages(bench: Bench, kind: str | None, where: Span, **asked: Any) -> Page:
    return bench.mart.read(lambda c: read_records.page(c, kind, where, **asked))


def only(bench: Bench, kind: str | None = None) -> dict[str, Any]:
    [one] = listed(bench, kind)
    return one


def stored(bench: Bench) -> list[Record]:
    """The records of a mart by kind, then key, none joined to another."""
    return bench.mart.read(
        lambda c: [record_rows.record_of(c, row) for row in list(record_rows.every(c))]
    )
