"""Tools that tell of metrics: which there are, how one goes over time."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

from healthlog.hae.names import canonical_name
from healthlog.layer import DATED
from healthlog.mart import record_rows
from healthlog.mart.offsets import Offsets
from healthlog.mcp.arguments import FROM_TIME, TO_TIME, Arguments, limit
from healthlog.mcp.fitting import fitting
from healthlog.mcp.known import UnknownMetric, require
from healthlog.mcp.tool import Look, Told, Tool
from healthlog.mcp.words import age, counted, listed, plain
from healthlog.moment import day_text
from healthlog.read import points
from healthlog.read import series as read_series
from healthlog.read.now import today
from healthlog.read.series import Question, WrongUnit
from healthlog.series.buckets import BUCKETS, first_date, next_date
from healthlog.series.catalogue import SUM, entry
from healthlog.span import Span, local_date
from healthlog.values import total

_USUAL, _MOST = 100, 400
_STRETCHES = 30
_TOGETHER = 10  # a bucket has an item for each unit that can't be converted
_SHOWN = ("start", "value", "min", "max", "unit", "layer", "open")

Item = Mapping[str, Any]


def list_metrics(look: Look, given: Mapping[str, Any]) -> Told:
    arguments = Arguments(given, _LIST.properties)
    contained = (arguments.text("contains") or "").casefold()

    def work(connection: sqlite3.Connection) -> Told:
        every = points.metrics(connection, look.now_us())
        chosen = [_metric(one) for one in every if contained in str(one["name"]).casefold()]
        items, _ = fitting(chosen, lambda one: str(one["metric"]))
        rest = [one["metric"] for one in chosen[len(items) :]]
        records = record_rows.counts(connection)
        content = {"metrics": items, "records": records}
        if rest:
            content["left_out"] = rest
        return Told(_overview(chosen, every, records), content)

    return look.mart.read(work)


def _metric(one: Item) -> dict[str, Any]:
    """A metric as it is measured: in the unit that answers are given in."""
    found = entry(one["name"], one.get("unit"))
    unit = {"unit": found.unit} if found.unit else {}
    return {
        "metric": one["name"],
        **unit,
        "aggregate": found.aggregate,
        "first_at": one["first_at"],
        "last_at": one["last_at"],
        "age_s": one["age_s"],
        "layers": one["layers"],
    }


def _overview(chosen: Sequence[Item], every: Sequence[Item], records: Mapping[str, int]) -> str:
    if not every and not records:
        return "The log is empty: nothing has been recorded yet."
    if not chosen:
        return f"None of the {counted(len(every), 'metric')} has such a name."
    newest = min(chosen, key=lambda one: int(one["age_s"]))
    told = f"{counted(len(chosen), 'metric')}. The newest reading is {age(newest['age_s'])} old"
    kinds = listed([counted(number, kind) for kind, number in sorted(records.items())])
    return f"{told} ({newest['metric']})." + (f" Records: {kinds}." if kinds else "")


def get_series(look: Look, given: Mapping[str, Any]) -> Told:
    arguments = Arguments(given, _SERIES.properties)
    metric = canonical_name(arguments.needed("metric"))
    bucket = arguments.choice("bucket", BUCKETS)
    unit, most = arguments.text("unit"), arguments.whole("limit", _USUAL, _MOST)

    def work(connection: sqlite3.Connection) -> Told:
        date = today(Offsets(connection), look.now_us(), look.zone)
        span = arguments.span(look.zone, date)
        question = Question(metric, bucket, span, unit=unit, order=look.order)
        metric_known = require(connection, metric, look.now_us())
        try:
            page = read_series.page(connection, question, limit=most + _TOGETHER)
        except WrongUnit:
            raise UnknownMetric(f"unit {unit} is none that {metric} can be given in") from None
        shown = [{name: one[name] for name in _SHOWN if name in one} for one in page.items]
        items, beyond = fitting(shown, lambda one: str(one["start"]), most)
        content: dict[str, Any] = {**page.head, "items": items, "known": metric_known}
        summary = _summary(items, str(page.head["aggregate"]))
        if summary:
            content["summary"] = summary
        if beyond is not None:
            content["next_from"] = beyond
        if bucket in DATED:
            absent = _absent(bucket, span, items, content.get("next_from"), date)
            content["absent"] = absent[:_STRETCHES]
            content["absent_buckets"] = sum(one["buckets"] for one in absent)
        return Told(_told(content), content)

    return look.mart.read(work)


def _summary(items: Sequence[Item], aggregate: str) -> dict[str, Any]:
    """What the values given add up to, without those that may still grow."""
    closed = [one for one in items if not one["open"] and "unit" not in one]
    values = [one["value"] for one in closed if isinstance(one.get("value"), int | float)]
    if not values:
        return {}
    of_all = total(values)
    known = isfinite(of_all)
    return {
        "values": len(values),
        **({"sum": of_all} if known and aggregate == SUM else {}),
        **({"mean": of_all / len(values)} if known else {}),
        "least": min(values),
        "greatest": max(values),
        "open_left_out": len(items) - len(closed),
    }


def _absent(
    bucket: str, span: Span, items: Sequence[Item], following: str | None, date: int
) -> list[dict[str, Any]]:
    """Buckets without a value, one after the other told as one stretch: of those that the answer
    speaks of, up to today."""
    assert span.first is not None
    last = date + 1 if span.last is None else min(span.last.day, date + 1)
    if following is not None:
        last = local_date(following)
    there = {local_date(str(one["start"])) for one in items}
    found: list[dict[str, Any]] = []
    before = False
    for start in _starts(bucket, span.first.day, last):
        if start in there:
            before = False
        elif before:
            found[-1] |= {"last": day_text(start), "buckets": found[-1]["buckets"] + 1}
        else:
            found.append({"first": day_text(start), "last": day_text(start), "buckets": 1})
            before = True
    return found


def _starts(bucket: str, first: int, last: int) -> Iterator[int]:
    at = first_date(bucket, first)
    at = at if at >= first else next_date(bucket, at)
    while at < last:
        yield at
        at = next_date(bucket, at)


def _told(content: Mapping[str, Any]) -> str:
    metric, bucket, unit = content["metric"], content["bucket"], content["unit"]
    items, of_metric = content["items"], content["known"]
    if not items:
        return (
            f"No reading of {metric} in that span. The first one ever is of"
            f" {of_metric['first_at']}, the last one of {of_metric['last_at']},"
            f" {age(of_metric['age_s'])} ago."
        )
    told = [f"{metric} by {bucket}: {counted(len(items), 'value')}"]
    last = items[-1]
    if "value" in last:
        in_unit = last.get("unit", unit)
        grows = ", which may still grow" if last["open"] else ""
        told.append(f"the last, of {last['start']}: {plain(last['value'])} {in_unit or ''}".strip())
        told[-1] += grows
    if content.get("absent_buckets"):
        told.append(f"nothing known of {counted(content['absent_buckets'], bucket)} of the span")
    if "next_from" in content:
        told.append(f"more from {content['next_from']} on: ask again from there")
    return "; ".join(told) + f". The last reading ever is {age(of_metric['age_s'])} old."


_METRIC = {"type": "string", "description": "a metric by its name, as list_metrics tells it"}

_LIST = Tool(
    "list_metrics",
    "Which metrics there are",
    "Every metric in the log: its unit, how values are put together (sum of amounts, avg of"
    " levels, last of states), first and last reading, age of the last one in seconds. Also how"
    " many records there are of each kind. Ask this first, for the names.",
    list_metrics,
    {"contains": {"type": "string", "description": "only names that contain this"}},
)
_SERIES = Tool(
    "get_series",
    "A metric over time",
    "One resolved value for each minute, hour, day, week, month or year: what several devices or"
    " time groupings told of the same time is counted once. Use the widest bucket that answers the"
    " question. `open` marks a bucket that was not over when last heard of. `absent` names the"
    " buckets of which nothing is known; they are not zero. `summary` counts closed buckets alone;"
    " the average of a whole month is the value of the bucket month, not the mean of its days.",
    get_series,
    {
        "metric": _METRIC,
        "bucket": {"type": "string", "enum": list(BUCKETS), "description": "width of the values"},
        "from": FROM_TIME,
        "to": TO_TIME,
        "unit": {"type": "string", "description": "give values in this unit, such as mi or lb"},
        "limit": limit(_USUAL, _MOST),
    },
    ("metric", "bucket", "from"),
)
TOOLS = (_LIST, _SERIES)
