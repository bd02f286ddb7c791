"""What the address of a page asks for."""

from __future__ import annotations

import sqlite3
from datetime import date
from urllib.parse import urlencode

from healthlog.base.web import Problem
from healthlog.moment import day_text
from healthlog.params import Params
from healthlog.parts import Parts
from healthlog.series.source_order import SourceOrder
from healthlog.web import gather
from healthlog.web.html import Html, tag
from healthlog.web.scale import day_of


def day(params: Params, name: str, usual: int) -> int:
    """A date (days since 1970), `usual` where none is given; Problem for what is none."""
    text = params.given.get(name, "")
    return day_named(text, name) if text else usual


def day_named(text: str, name: str) -> int:
    """The date that a text names; Problem that names the parameter."""
    try:
        found = date.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or len(text) != len("2026-05-03") or not 1900 <= found.year <= 2999:
        raise Problem(400, f"{name} must be a date: YYYY-MM-DD, from 1900 to 2999.")
    return day_of(found)


def order(parts: Parts) -> SourceOrder:
    return SourceOrder(parts.settings.source_order)


def until(parts: Parts, connection: sqlite3.Connection, params: Params) -> int:
    """The date after the last one that is shown."""
    usual = gather.local_day(connection, parts.clock.now_us() // 1000)
    return day(params, "to", usual) + 1


def older(path: str, first: int, end: int, **query: str) -> Html:
    """To the dates before and behind those that are shown."""
    back = urlencode({**query, "to": day_text(first - 1)})
    on = urlencode({**query, "to": day_text(end - 1 + end - first)})
    return tag(
        "nav",
        tag("a", "\u2190 earlier", href=f"{path}?{back}", rel="prev"),
        tag("a", "later \u2192", href=f"{path}?{on}", rel="next"),
        class_="days",
        aria_label="Earlier, later",
    )
