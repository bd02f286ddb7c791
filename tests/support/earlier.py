"""An earlier program, which did not know a metric yet; and what it left behind."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from healthlog.coverage import Coverage
from healthlog.fold import Folder
from healthlog.journal import outcomes, rows
from healthlog.mart import folded
from healthlog.model import PARSER, Account, Counts, Delivery, Verdict
from healthlog.planning import Plan
from tests.support.accepting import delivery
from tests.support.bodies import body, metric
from tests.support.engine import Engine

VO2 = "metrics.vo2_max"
POORER = Coverage({1: frozenset(("metrics",))})
RICHER = Coverage({1: frozenset(("metrics",)), 2: frozenset((VO2,))})

DATES = [f"2026-05-{day:02} 00:00:00 +0200" for day in range(1, 29)]
BOTH = body(
    metric("step_count", {DATES[0]: 10, DATES[1]: 20}),
    metric("vo2_max", {DATES[0]: 41, DATES[1]: 42}),
)
"""Two days of what the earlier program knows beside two of what it doesn't."""


def without(plan: Plan, name: str) -> Plan:
    """A plan of rules that don't know a metric: they neither take nor count it."""
    left = [found for metric_name, _, found in plan.series if f"metrics.{metric_name}" == name]
    return replace(
        plan,
        series=tuple(one for one in plan.series if f"metrics.{one[0]}" != name),
        received=plan.received - sum(len(one.lines.at_ms) + one.doubles for one in left),
        uncovered=tuple(sorted({*plan.uncovered, *([name] if left else [])})),
    )


class EarlierFolder(Folder):
    """Folds as a program did that did not know `vo2_max`."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine.mart, engine.clock, coverage=POORER)

    def fold(self, one: Delivery, planned: Plan, check: Callable[[], None]) -> Account:
        return super().fold(one, without(planned, VO2), check)


def fold_earlier(engine: Engine) -> None:
    """All that waits, folded by the earlier program."""
    engine.worker(engine.player(folder=EarlierFolder(engine))).run_pass()


def fold_richer(engine: Engine) -> None:
    """All that waits, folded by a program that knows it."""
    folder = Folder(engine.mart, engine.clock, coverage=RICHER)
    engine.worker(engine.player(folder=folder)).run_pass()


def left_partial(engine: Engine, count: int, uncovered: Sequence[str] = (VO2,)) -> list[Delivery]:
    """Rows with lines, without bodies: so many deliveries that an earlier program folded in
    part."""
    some = [delivery(number) for number in range(count)]
    account = Account(7, "day", "declared", Counts(1, 1), tuple(uncovered), coverage=1)

    def keep(connection: sqlite3.Connection, batch: Sequence[Delivery]) -> None:
        for one in batch:
            rows.insert(connection, one)
            outcomes.write_verdict(connection, one.delivery_id, Verdict(account))

    def lines(connection: sqlite3.Connection) -> None:
        for number, one in enumerate(some, start=1):
            folded.write(connection, number, one, account)

    for begin in range(0, count, 500):
        engine.journal.write(partial(keep, batch=some[begin : begin + 500]))
    engine.mart.write(lines)
    return some


def age(engine: Engine) -> None:
    """As if all that was folded had been folded by an earlier parser."""
    engine.mart.write(lambda c: c.execute("UPDATE folded SET parser = ?", (PARSER - 1,)).close())
    engine.journal.write(
        lambda c: c.execute(
            "UPDATE delivery SET parser = ? WHERE parser IS NOT NULL", (PARSER - 1,)
        ).close()
    )
