"""Tools that tell of records: workouts, whatever else is no metric."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from healthlog.mart.offsets import Offsets
from healthlog.mcp.arguments import FROM_TIME, TO_TIME, Arguments, limit
from healthlog.mcp.fitting import fitting, record_view
from healthlog.mcp.tool import Look, Told, Tool
from healthlog.mcp.words import counted, listed
from healthlog.moment import DAY_MS, MINUTE_MS, day_text
from healthlog.read import records as read_records
from healthlog.read.now import today
from healthlog.records.record import KINDS, SLEEP, WORKOUT
from healthlog.series.buckets import FAR_MS
from healthlog.span import Edge, Span, local_date

_USUAL, _MOST = 50, 200
_TOGETHER = 20  # records that begin in the same instant
_OTHERS = tuple(kind for kind in KINDS if kind not in {WORKOUT, SLEEP})
_LAST = "SELECT kind, max(at_ms), count(*) FROM record WHERE kind = ? GROUP BY kind"


def list_workouts(look: Look, given: Mapping[str, Any]) -> Told:
    arguments = Arguments(given, _WORKOUTS.properties)
    return _listed(look, arguments, WORKOUT, (arguments.text("name") or "").casefold())


def list_records(look: Look, given: Mapping[str, Any]) -> Told:
    arguments = Arguments(given, _RECORDS.properties)
    return _listed(look, arguments, arguments.choice("kind", _OTHERS), "")


def _listed(look: Look, arguments: Arguments, kind: str, name: str) -> Told:
    most = arguments.whole("limit", _USUAL, _MOST)

    def work(connection: sqlite3.Connection) -> Told:
        offsets = Offsets(connection)
        span = arguments.span(look.zone, today(offsets, look.now_us(), look.zone))
        found = (
            one
            for one in _within(connection, kind, span)
            if name in str(one["data"].get("name", "")).casefold()
        )
        shown = map(record_view, islice(found, most + _TOGETHER))
        items, beyond = fitting(shown, _place, most)
        content: dict[str, Any] = {"kind": kind, "items": items}
        if beyond is not None:
            content["next_from"] = beyond
        known = _known(connection, offsets, kind)
        if known is not None:
            content["known"] = known
        return Told(_told(content, name), content)

    return look.mart.read(work)


def _place(one: dict[str, Any]) -> str:
    return str(one.get("start") or one.get("end"))


def _within(connection: sqlite3.Connection, kind: str, span: Span) -> Iterator[dict[str, Any]]:
    """Records of a kind that begin in a span, oldest first: where it is named by dates, on local
    days as they were then. No tool tells where somebody was."""
    first, last = (_far(edge, far) for edge, far in ((span.first, -FAR_MS), (span.last, FAR_MS)))
    behind = None
    while True:
        page = read_records.page(
            connection, kind, Span(first, last), behind=behind, limit=_MOST, routes=False
        )
        for one in page.items:
            if _begins_in(one, span):
                yield one
        behind = page.following
        if behind is None:
            return


def _far(edge: Edge | None, far_ms: int) -> Edge | None:
    """The end of a stretch wide enough for a date in any zone."""
    if edge is None or not edge.dated:
        return edge
    return Edge((edge.day * DAY_MS + far_ms) * 1000, edge.day)


def _begins_in(one: dict[str, Any], span: Span) -> bool:
    day = local_date(str(one["day"]))
    after = span.first is None or not span.first.dated or day >= span.first.day
    return after and (span.last is None or not span.last.dated or day < span.last.day)


def _known(connection: sqlite3.Connection, offsets: Offsets, kind: str) -> dict[str, Any] | None:
    """How many there are ever, and the local day of the last one."""
    row = connection.execute(_LAST, (kind,)).fetchone()
    if row is None:
        return None
    _, at_ms, number = row
    day = (at_ms + offsets.offset_min(at_ms) * MINUTE_MS) // DAY_MS
    return {"number": number, "last_day": day_text(day)}


def _told(content: Mapping[str, Any], name: str) -> str:
    kind, items, known = (
        str(content["kind"]).replace("_", " "),
        content["items"],
        content.get("known"),
    )
    if known is None:
        return f"No {kind} was ever recorded."
    if not items:
        of_name = " of that name" if name else ""
        return f"No {kind}{of_name} in that span; the last one is of {known['last_day']}."
    names = [str(one["name"]) for one in items if "name" in one]
    kinds = [f"{names.count(one)} × {one}" for one in dict.fromkeys(names)]
    told = counted(len(items), kind) + (f" ({listed(kinds)})" if kinds else "")
    if "next_from" in content:
        told += f"; more from {content['next_from']} on: ask again from there"
    return told + "."


_WORKOUTS = Tool(
    "list_workouts",
    "Workouts",
    "Workouts that began on the days of a span, oldest first: name, start, end, duration in"
    " seconds, distance, energy, heart rate as recorded, each with its unit. Of series such as the"
    " heart rate or the route only the number of samples is told. A field that is not listed was"
    " not recorded.",
    list_workouts,
    {
        "from": FROM_TIME,
        "to": TO_TIME,
        "name": {"type": "string", "description": "only those whose name contains this"},
        "limit": limit(_USUAL, _MOST),
    },
    ("from",),
)
_RECORDS = Tool(
    "list_records",
    "Symptoms, medications, moods and other records",
    "Records of one kind that began on the days of a span, oldest first, as recorded, without"
    " their series. Of a medication `derived.status` says whether it was taken: one that was"
    " skipped is not a dose.",
    list_records,
    {
        "kind": {"type": "string", "enum": list(_OTHERS), "description": "which kind"},
        "from": FROM_TIME,
        "to": TO_TIME,
        "limit": limit(_USUAL, _MOST),
    },
    ("kind", "from"),
)
TOOLS = (_WORKOUTS, _RECORDS)
