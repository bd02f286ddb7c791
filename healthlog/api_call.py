"""One call, as the description of all calls is made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Call:
    """`needed` and `query` are its parameters by name, `headers` those of its head, of which `must`
    have to be there; `content` is what an answer of `statuses` has, by media type, `body` what it
    is sent; `refusals` are its statuses beyond the usual."""

    method: str
    path: str
    summary: str
    content: Mapping[str, dict[str, Any]]
    needed: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    query: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    headers: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    must: tuple[str, ...] = ()
    refusals: tuple[int, ...] = ()
    body: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    statuses: tuple[int, ...] = (200,)
    open: bool = False
