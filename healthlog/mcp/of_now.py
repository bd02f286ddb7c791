"""The tool that tells how things stand now."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

from healthlog.hae.names import canonical_name
from healthlog.mcp.arguments import Arguments
from healthlog.mcp.tool import Look, Told, Tool
from healthlog.mcp.words import age, counted, listed, plain
from healthlog.read import points
from healthlog.read.now import now


def get_latest(look: Look, given: Mapping[str, Any]) -> Told:
    arguments = Arguments(given, _LATEST.properties)
    asked = arguments.texts("metrics")
    wanted = None if asked is None else [canonical_name(one) for one in asked]

    def work(connection: sqlite3.Connection) -> Told:
        content: dict[str, Any] = dict(now(connection, look.now_us(), look.order, look.zone))
        for part in ("totals", "latest"):
            content[part] = _slim(content[part], wanted)
        told = {*content["totals"], *content["latest"]}
        if wanted is not None:
            content.pop("night")
            absent = [one for one in wanted if one not in told]
            content["absent"] = {one: _why(connection, one, look.now_us()) for one in absent}
        return Told(_told(content), content)

    return look.mart.read(work)


def _slim(part: Mapping[str, Any], wanted: list[str] | None) -> dict[str, Any]:
    return {
        metric: {name: one[name] for name in one if name != "sources"}
        for metric, one in part.items()
        if wanted is None or metric in wanted
    }


def _why(connection: sqlite3.Connection, metric: str, now_us: int) -> str:
    found = points.metric(connection, metric, now_us)
    if found is None:
        return "never recorded"
    return f"nothing today; the last reading is of {found['last_at']}"


def _told(content: Mapping[str, Any]) -> str:
    totals, latest, absent = content["totals"], content["latest"], content.get("absent", {})
    told = [f"It is {content['at']} where the phone is."]
    told.append(
        f"Today so far: {listed([_value(name, one) for name, one in totals.items()])}."
        if totals
        else "Nothing that adds up has been told of today."
    )
    if latest:
        values = [f"{_value(name, one)} ({age(one['age_s'])} old)" for name, one in latest.items()]
        told.append(f"Latest of {counted(len(latest), 'metric')}: {listed(values, 4)}.")
    told += [f"{name}: {why}." for name, why in absent.items()]
    return " ".join(told)


def _value(name: str, one: Mapping[str, Any]) -> str:
    value = one.get("value")
    if value is None:
        value = f"{plain(one.get('min'))} to {plain(one.get('max'))}"
    return f"{name} {plain(value)} {one.get('unit') or ''}".strip()


_LATEST = Tool(
    "get_latest",
    "How things stand now",
    "Amounts (steps, energy, water …) as they add up today so far, and the latest value of every"
    " level or state (heart rate, weight, glucose …), each with its unit and its age in seconds:"
    " an old value is not how things are now. Without `metrics` also last night.",
    get_latest,
    {
        "metrics": {
            "type": "array",
            "items": {"type": "string"},
            "description": "only these, by name; left out: all",
        }
    },
)
TOOLS = (_LATEST,)
