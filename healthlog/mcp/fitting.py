"""What fits into one answer, so that none floods whoever reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from typing import Any

from healthlog.mcp.messages import text_of

MOST_CHARACTERS = 20_000
"""Of the items of one answer, as JSON."""

ENOUGH = 1_000
"""Items of an answer that nobody limits."""

_TEXT_CHARACTERS = 400
_DEPTH = 4
_TOLD_ALREADY = frozenset(("id", "start", "end"))
_ENTRIES = 40


def fitting(
    items: Iterable[dict[str, Any]], place: Callable[[dict[str, Any]], str], limit: int = ENOUGH
) -> tuple[list[dict[str, Any]], str | None]:
    """The first items that fit, with the place of the first that doesn't, None if all do. Those of
    one place stay together, those of the first place are there in any case."""
    kept: list[dict[str, Any]] = []
    size = 0
    for at, together in groupby(items, place):
        found = list(together)
        size += sum(len(text_of(one)) for one in found)
        if kept and (size > MOST_CHARACTERS or len(kept) + len(found) > limit):
            return kept, at
        kept += found
    return kept, None


def record_view(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record with its fields beside its times: long texts are cut, of what is measured over and
    over only the number of samples is told."""
    head = {name: record[name] for name in ("start", "end", "day") if name in record}
    data = {name: one for name, one in record["data"].items() if name not in _TOLD_ALREADY}
    more = {name: record[name] for name in ("derived", "flags") if record[name]}
    return {**head, **_short(data), **more}


def _short(data: Mapping[str, Any]) -> dict[str, Any]:
    lists = {name: len(value) for name, value in data.items() if _is_series(value)}
    kept = {name: _cut(value) for name, value in list(data.items())[:_ENTRIES] if name not in lists}
    return {**kept, **({"series": lists} if lists else {})}


def _is_series(value: object) -> bool:
    """Lists of words, such as labels, are told; what is measured over and over isn't."""
    return isinstance(value, list) and any(isinstance(one, dict | list) for one in value)


def _cut(value: object, depth: int = _DEPTH) -> object:
    if isinstance(value, str) and len(value) > _TEXT_CHARACTERS:
        return value[:_TEXT_CHARACTERS] + "…"
    if isinstance(value, dict | list) and depth == 0:
        return "…"
    if isinstance(value, dict):
        members = list(value.items())[:_ENTRIES]
        return {name: _cut(one, depth - 1) for name, one in members}
    if isinstance(value, list):
        return [_cut(one, depth - 1) for one in value[:_ENTRIES]]
    return value
