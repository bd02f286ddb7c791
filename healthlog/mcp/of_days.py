"""Tools that tell of whole days: one of them, the nights that ended on some."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any

from healthlog.days import night_view
from healthlog.gaps import absent_days
from healthlog.mart.offsets import Offsets
from healthlog.mcp.arguments import DATE, FROM, TO, Arguments, limit
from healthlog.mcp.fitting import fitting, record_view
from healthlog.mcp.tool import Look, Told, Tool
from healthlog.mcp.words import counted, listed, plain
from healthlog.moment import day_text
from healthlog.read import days as read_days
from healthlog.read.now import today
from healthlog.read.points import names
from healthlog.read.presence import dates_with
from healthlog.values import total

_BEFORE_DAYS = 30
_USUAL, _MOST = 31, 200
_SPAN_DAYS = 3_700

Item = Mapping[str, Any]


def get_day(look: Look, given: Mapping[str, Any]) -> Told:
    arguments = Arguments(given, _DAY.properties)

    def work(connection: sqlite3.Connection) -> Told:
        offsets = Offsets(connection)
        current = today(offsets, look.now_us(), look.zone)
        date = arguments.date("day", current)
        content: dict[str, Any] = dict(read_days.day(connection, date, look.order, routes=False))
        for part in ("totals", "levels"):
            content[part] = {name: _slim(one) for name, one in content[part].items()}
        naps, workouts = content["naps"], content["workouts"]
        content["naps"] = [_without_keys(one) for one in naps]
        if content["night"] is not None:
            content["night"] = _without_keys(content["night"])
        shown = (record_view(one) for one in workouts)
        content["workouts"], _ = fitting(shown, lambda one: str(one.get("start")))
        if len(content["workouts"]) < len(workouts):
            content["workouts_left_out"] = len(workouts) - len(content["workouts"])
        content.pop("notes")
        content["over"] = date < current
        told = {*content["totals"], *content["levels"]}
        content["absent"] = _absent(connection, offsets, date, told)
        return Told(_day_told(content), content)

    return look.mart.read(work)


def _absent(
    connection: sqlite3.Connection, offsets: Offsets, date: int, told: set[str]
) -> dict[str, str]:
    """What was measured in the days before, and not on this one, with the last date of it."""
    found = {}
    for metric in names(connection):
        if metric not in told:
            dates = dates_with(connection, metric, date - _BEFORE_DAYS, date, offsets)
            if dates:
                found[metric] = day_text(max(dates))
    return found


def _slim(one: Item) -> dict[str, Any]:
    return {name: one[name] for name in one if name != "sources"}


def _without_keys(night: Item) -> dict[str, Any]:
    return {name: night[name] for name in night if name != "keys"}


def _day_told(content: Item) -> str:
    totals, levels, absent = content["totals"], content["levels"], content["absent"]
    if not (totals or levels or content["night"] or content["naps"] or content["workouts"]):
        told = [f"Nothing is known of {content['day']}."]
    else:
        values = [
            f"{name} {plain(one['value'])} {one.get('unit') or ''}".strip()
            for name, one in totals.items()
            if "value" in one
        ]
        told = [f"{content['day']}: {listed(values)}." if values else f"{content['day']}."]
        told.append(_slept(content["night"], content["naps"]))
        told.append(
            f"{counted(len(content['workouts']), 'workout')}."
            if content["workouts"]
            else "No workout."
        )
    if not content["over"]:
        told.append("The day is not over yet.")
    if absent:
        told.append(
            f"Measured in the {_BEFORE_DAYS} days before, not on this one: {listed(list(absent))}."
        )
    return " ".join(told)


def _slept(night: Item | None, naps: Sequence[Item]) -> str:
    beside = f", {counted(len(naps), 'nap')}" if naps else ""
    if night is None:
        return f"No night is known to have ended on it{beside}."
    if "total_h" not in night:
        return f"A night in bed of {plain(night.get('in_bed_h'))} h, sleep not measured{beside}."
    return f"{plain(night['total_h'])} h of sleep{beside}."


def get_nights(look: Look, given: Mapping[str, Any]) -> Told:
    arguments = Arguments(given, _NIGHTS.properties)
    most = arguments.whole("limit", _USUAL, _MOST)

    def work(connection: sqlite3.Connection) -> Told:
        offsets = Offsets(connection)
        current = today(offsets, look.now_us(), look.zone)
        first, last = arguments.dates(current)
        if last - first > _SPAN_DAYS:
            arguments.refuse("from", f"is more than {_SPAN_DAYS} days before the end")
        found = sorted(
            read_days.slept(connection, first, last, look.order), key=lambda one: one.day
        )
        shown = [_without_keys(night_view(one, offsets)) for one in found]
        items, beyond = fitting(shown, lambda one: str(one["day"]), most)
        content: dict[str, Any] = {"items": items}
        end = min(last, current + 1)
        if beyond is not None:
            content["next_from"] = beyond
            end = min(end, found[len(items)].day)
        nights = [one for one in found[: len(items)] if not one.is_nap]
        absent = absent_days({one.day for one in nights}, first, max(first, end))
        content["absent"] = [{"first": day_text(a), "last": day_text(b)} for a, b in absent]
        content["absent_nights"] = sum(one.days for one in absent)
        content["summary"] = _summary(one for one in items if one["session"] == "night")
        return Told(_nights_told(content), content)

    return look.mart.read(work)


def _summary(nights: Iterable[Item]) -> dict[str, Any]:
    """Averages of the nights given, each over those in which it was measured."""
    hours: dict[str, list[float]] = {}
    number = 0
    for night in nights:
        number += 1
        for name in night:
            if name.endswith("_h"):
                hours.setdefault(name, []).append(night[name])
    means = {name: total(of) / len(of) for name, of in hours.items()}
    known = {f"mean_{name}": round(one, 3) for name, one in means.items() if isfinite(one)}
    return {"nights": number, **known}


def _nights_told(content: Item) -> str:
    summary, absent = content["summary"], content["absent_nights"]
    told = [f"{counted(summary['nights'], 'night')}"]
    if "mean_total_h" in summary:
        told.append(f"{plain(summary['mean_total_h'])} h of sleep on average")
    if absent:
        told.append(f"no night is known to have ended on {counted(absent, 'date')} of the span")
    if "next_from" in content:
        told.append(f"more from {content['next_from']} on: ask again from there")
    return "; ".join(told) + "."


_DAY = Tool(
    "get_day",
    "One day",
    "All that is known of one local day: amounts added up, levels averaged, the night that ended"
    " on it, naps, workouts. `absent` names what was measured in the 30 days before and not on"
    " this day, with the last date of it.",
    get_day,
    {"day": DATE},
    ("day",),
)
_NIGHTS = Tool(
    "get_nights",
    "Nights and naps",
    "Sleep that ended on the days of a span, each hour counted once whatever devices told of it:"
    " start, end, hours asleep (total_h), in bed and by stage. A stage that is not listed was not"
    " measured. `absent` names the dates on which no night is known to have ended.",
    get_nights,
    {"from": FROM, "to": TO, "limit": limit(_USUAL, _MOST)},
    ("from",),
)
TOOLS = (_DAY, _NIGHTS)
