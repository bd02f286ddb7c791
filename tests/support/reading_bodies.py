"""Bodies of a log read back, with accidents."""

from __future__ import annotations

from healthlog.model import Delivery
from tests.support.bodies import body, metric
from tests.support.engine import Engine

WEIGHT = body(metric("weight_body_mass", {"2026-05-03 10:00:00 +0200": 80.5}))
"""Tells no layer by itself."""


class Reader:
    """Bodies of the archive, with a note of whose were read; some can't be."""

    def __init__(self, engine: Engine) -> None:
        self.asked: list[str] = []
        self.failing: dict[str, Exception] = {}
        self._engine = engine

    def __call__(self, one: Delivery) -> bytes:
        self.asked.append(one.delivery_id)
        if one.delivery_id in self.failing:
            raise self.failing[one.delivery_id]
        return self._engine.house.archive.body(one)


def post(engine: Engine, sent: bytes, automation: str | None = "A", **facts: str) -> Delivery:
    return engine.post(sent, automation_id=automation, **facts)


def own(engine: Engine, one: Delivery) -> tuple[str | None, int | None]:
    entry = engine.entry(one)
    return entry.own_layer, entry.own_layer_parser
