"""Summaries kept up to date: a slice of what is stale at a time."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable

from healthlog.base.clock import Clock
from healthlog.base.errors import Circumstance, Damaged
from healthlog.base.log import Log
from healthlog.mart.changes import generation
from healthlog.mart.store import Mart
from healthlog.moment import DAY_MS
from healthlog.read.series import entry_of, series_of
from healthlog.series.shelf import Dates
from healthlog.series.source_order import SourceOrder
from healthlog.summaries import rows, signals
from healthlog.summaries.dates import DAYS, NIGHTS, cut, merged
from healthlog.summaries.fresh import known, learned, rules, stale
from healthlog.summaries.signals import Signal

SLICE_S = 0.05
"""So long one slice may take, about: the mart is written to meanwhile."""

_DATES = 14
_STATE = "SELECT delivery, fold, rules FROM summary"
_KEEP = (
    "INSERT INTO summary (one, delivery, fold, rules) VALUES (1, ?, ?, ?) ON CONFLICT (one) DO"
    " UPDATE SET delivery = excluded.delivery, fold = excluded.fold, rules = excluded.rules"
)
_DELIVERY = "SELECT coalesce(max(delivery), 0) FROM folded"
_STALE = "INSERT OR IGNORE INTO stale (kind, metric, first_ms, last_ms) VALUES (?, ?, ?, ?)"
_FRESH = "DELETE FROM stale WHERE kind = ? AND metric = ?"
# What is nearest to today is looked at most.
_NEXT = "SELECT kind, metric FROM stale ORDER BY last_ms DESC LIMIT 1"
_LEARN = "INSERT OR REPLACE INTO summarised (metric, known, live_ms) VALUES (?, ?, ?)"
_DAY = f"INSERT INTO day VALUES ({', '.join('?' * 14)})"
_NIGHT = f"INSERT OR REPLACE INTO night VALUES ({', '.join('?' * 19)})"
_WORKOUT = f"INSERT INTO workout VALUES ({', '.join('?' * 15)})"


class Summaries:
    """Keeps the summaries of a mart, whichever is in place. They follow from it, from the order
    of the sources, from the program; whatever of these differs, they are made again."""

    def __init__(self, mart: Mart, order: SourceOrder, *, log: Log, clock: Clock) -> None:
        self._mart = mart
        self._order = order
        self._rules = rules(order)
        self._log = log
        self._clock = clock

    def keep_up(self, wait: Callable[[float], bool]) -> None:
        """Make stale summaries again until none is, or `wait` (seconds) says that there is
        something else to do. As long as a slice takes, others have the machine. Raises nothing:
        what could not be done now is done the next time."""
        try:
            while self.step():
                if wait(SLICE_S):
                    return
        except (Circumstance, Damaged) as error:
            self._log.debug("summaries put off", reason=str(error))
        except Exception as error:  # noqa: BLE001 - folding goes on without them
            self._log.exception("summaries failed", error)

    def step(self) -> bool:
        """One slice; whether more is stale."""
        return self._mart.write(self._slice)

    def _slice(self, connection: sqlite3.Connection) -> bool:
        until_s = self._clock.monotonic() + SLICE_S
        self._look(connection)
        while found := connection.execute(_NEXT).fetchone():
            self._renew(connection, *found)
            if self._clock.monotonic() >= until_s:
                return connection.execute(_NEXT).fetchone() is not None
        return False

    def _look(self, connection: sqlite3.Connection) -> None:
        """Note what is stale since the last look."""
        (delivery,) = connection.execute(_DELIVERY).fetchone()
        _, fold = generation(connection)
        state = connection.execute(_STATE).fetchone()
        if state == (delivery, fold, self._rules):
            return
        if state is None or state[2] != self._rules:
            for table in ("day", "night", "workout", "stale", "summarised"):
                connection.execute(f"DELETE FROM {table}")
            self._note(connection, signals.everything(connection))
        else:
            self._note(connection, signals.since(connection, *state[:2]))
        connection.execute(_KEEP, (delivery, fold, self._rules))

    def _note(self, connection: sqlite3.Connection, found: Iterable[Signal]) -> None:
        """Write down what is stale, with what is so already, in as few stretches as it has."""
        together: defaultdict[tuple[str, str], list[Dates]] = defaultdict(list)
        for kind, metric, dates in found:
            together[kind, metric].append(dates)
        for (kind, metric), stretches in together.items():
            more = self._learned(connection, metric) if kind == DAYS else []
            before = stale(connection, kind, metric)
            self._store(connection, kind, metric, [*stretches, *more, *before])

    def _learned(self, connection: sqlite3.Connection, metric: str) -> list[Dates]:
        """Dates of a metric that differ because of what is known of it now."""
        now = known(connection, entry_of(connection, metric, series_of(connection, metric)))
        found = learned(connection, metric, now)
        connection.execute(_LEARN, (metric, *now))
        return found

    def _store(
        self, connection: sqlite3.Connection, kind: str, metric: str, stretches: list[Dates]
    ) -> None:
        connection.execute(_FRESH, (kind, metric))
        connection.executemany(
            _STALE,
            [(kind, metric, *_ms(dates)) for dates in merged(stretches)],
        )

    def _renew(self, connection: sqlite3.Connection, kind: str, metric: str) -> None:
        """Make the last stale dates of a kind and metric again."""
        *before, last = merged(stale(connection, kind, metric))
        dates, left = cut(last, _DATES)
        self._store(connection, kind, metric, [*before, *([] if left is None else [left])])
        ends = _ms(dates)
        if kind == DAYS:
            connection.execute(
                "DELETE FROM day WHERE metric = ? AND day_ms >= ? AND day_ms < ?", (metric, *ends)
            )
            connection.executemany(_DAY, rows.days(connection, metric, dates, self._order))
        elif kind == NIGHTS:
            connection.execute("DELETE FROM night WHERE day_ms >= ? AND day_ms < ?", ends)
            connection.executemany(_NIGHT, list(rows.nights(connection, dates, self._order)))
        else:
            connection.execute("DELETE FROM workout WHERE day_ms >= ? AND day_ms < ?", ends)
            connection.executemany(_WORKOUT, list(rows.workouts(connection, dates)))


def _ms(dates: Dates) -> tuple[int, int]:
    return dates.first * DAY_MS, dates.last * DAY_MS
