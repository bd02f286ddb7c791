"""The tool that tells what is missing."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

from healthlog.gaps import Days, missing_days, usual_days
from healthlog.hae.names import canonical_name
from healthlog.mart.offsets import Offsets
from healthlog.mcp.arguments import FROM, TO, Arguments
from healthlog.mcp.fitting import fitting
from healthlog.mcp.known import require
from healthlog.mcp.tool import Look, Told, Tool
from healthlog.mcp.words import counted, listed
from healthlog.moment import day_text
from healthlog.read.now import today
from healthlog.read.points import names
from healthlog.read.presence import dates_with

_AROUND_DAYS = 60
_OF_ONE_DAYS, _OF_ALL_DAYS = 3_700, 92
_STRETCHES = 50


def find_gaps(look: Look, given: Mapping[str, Any]) -> Told:
    arguments = Arguments(given, _GAPS.properties)
    asked = arguments.text("metric")

    def work(connection: sqlite3.Connection) -> Told:
        offsets = Offsets(connection)
        current = today(offsets, look.now_us(), look.zone)
        first, last = arguments.dates(current)
        longest = _OF_ALL_DAYS if asked is None else _OF_ONE_DAYS
        if last - first > longest:
            arguments.refuse("from", f"is more than {longest} days before the end")
        last = min(last, current)  # today is not over: nothing is missing of it yet
        if asked is None:
            chosen = names(connection)
        else:
            chosen = [canonical_name(asked)]
            require(connection, chosen[0], look.now_us())
        end = min(last + _AROUND_DAYS, current)
        told = (_of_metric(connection, one, (first, last), end, offsets) for one in chosen)
        found = [one for one in told if one is not None]
        missed = [one for one in found if one["missing_days"] or asked is not None]
        items, _ = fitting(missed, lambda one: str(one["metric"]))
        content: dict[str, Any] = {"items": items, "metrics": len(found)}
        if len(items) < len(missed):
            content["left_out"] = [str(one["metric"]) for one in missed[len(items) :]]
        return Told(_told(content, asked), content)

    return look.mart.read(work)


def _of_metric(
    connection: sqlite3.Connection,
    metric: str,
    asked: tuple[int, int],
    end: int,
    offsets: Offsets,
) -> dict[str, Any] | None:
    """What is missing of a metric in the dates that are asked for, by those up to `end`; None where
    it wasn't in use then or shortly before."""
    first, last = asked
    around = sorted(dates_with(connection, metric, first - _AROUND_DAYS, end, offsets))
    dates = [date for date in around if date < last]
    if not dates:
        return None
    every = usual_days(dates)
    missed = [
        Days(max(first, gap.first), min(gap.last, last - 1))
        for gap in missing_days(around, end)
        if gap.last >= first and gap.first < last
    ]
    within = sum(first <= date < last for date in dates)
    return {
        "metric": metric,
        **({} if every is None else {"usually_every_days": every}),
        "days_with_readings": within,
        "missing_days": sum(gap.days for gap in missed),
        "missing": [_shown(gap) for gap in missed[:_STRETCHES]],
        "last_day": day_text(dates[-1]),
    }


def _shown(gap: Days) -> dict[str, str]:
    return {"first": day_text(gap.first), "last": day_text(gap.last)}


def _told(content: Mapping[str, Any], asked: str | None) -> str:
    items = content["items"]
    if asked is None:
        missing = [f"{one['metric']} {counted(one['missing_days'], 'day')}" for one in items]
        if not missing:
            return f"Of {counted(content['metrics'], 'metric')} in use nothing is missing."
        return f"Missing by their own rhythm: {listed(missing)}."
    if not items:
        return f"{asked} was not in use in that span or in the {_AROUND_DAYS} days before."
    [one] = items
    every = one.get("usually_every_days")
    rhythm_told = (
        "too few readings to tell a rhythm"
        if every is None
        else ("usually every day" if every == 1 else f"usually every {every} days")
    )
    if not one["missing_days"]:
        return f"{one['metric']} ({rhythm_told}): nothing is missing in that span."
    return (
        f"{one['metric']} ({rhythm_told}): {counted(one['missing_days'], 'day')} missing in"
        f" {counted(len(one['missing']), 'gap')}; the last reading is of {one['last_day']}."
    )


_GAPS = Tool(
    "find_gaps",
    "What is missing",
    "Days without any reading, held against how often a metric is usually measured: of one metric,"
    f" or of all (then over {_OF_ALL_DAYS} days at most). Use it before drawing conclusions from a"
    " trend, and when a number looks too low.",
    find_gaps,
    {
        "metric": {"type": "string", "description": "one metric by its name; left out: all"},
        "from": FROM,
        "to": TO,
    },
    ("from",),
)
TOOLS = (_GAPS,)
