"""What a tool is: a name, what it takes, what it tells."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any, Protocol, TypeVar

from healthlog.series.source_order import SourceOrder

T = TypeVar("T")

Schema = dict[str, Any]


class Reader(Protocol):
    """The mart in place."""

    def read(self, work: Callable[[sqlite3.Connection], T]) -> T: ...


@dataclass(frozen=True, slots=True)
class Look:
    """What the tools look by: the mart, the time of now (microseconds UTC), the zone of bare
    dates, the order of the sources."""

    mart: Reader
    now_us: Callable[[], int]
    zone: tzinfo
    order: SourceOrder


@dataclass(frozen=True, slots=True)
class Told:
    """A short text for whoever reads, the same in full for whoever counts."""

    text: str
    content: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool; `properties` are its arguments by name, as JSON Schema has them."""

    name: str
    title: str
    description: str
    call: Callable[[Look, Mapping[str, Any]], Told]
    properties: Mapping[str, Schema]
    needed: tuple[str, ...] = ()

    @property
    def schema(self) -> Schema:
        needed = {"required": list(self.needed)} if self.needed else {}
        return {
            "type": "object",
            "properties": dict(self.properties),
            **needed,
            "additionalProperties": False,
        }
