"""The rebuild of the mart while the old one answers: a builder beside, then a swap."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from healthlog import learning
from healthlog.archive.store import Archive
from healthlog.base.clock import Clock
from healthlog.base.db import Database
from healthlog.base.errors import Circumstance, Damaged, DiskFull, Refusal, Stopped
from healthlog.base.log import Log
from healthlog.base.migrate import SchemaChanged, SchemaNewer
from healthlog.builder import PATIENCE, Build, BuildFailed, Built, Position, Running, Telling
from healthlog.fold import Folder, MartDamaged
from healthlog.journal import rows, tallies
from healthlog.mart import folded
from healthlog.mart.store import NEW, MartStore, open_mart
from healthlog.mending import Mending
from healthlog.model import PARSED, PARSER, PARTIAL, Delivery, Verdict
from healthlog.prefix import JournalPrefix
from healthlog.reindex import Report, as_one_file, discard, points_in, settle
from healthlog.replay import Outcome, Player, Stage

_FIRST_WAIT_S = 60.0
_LONGEST_WAIT_S = 3_600.0
_EXPECTED = (Circumstance, Refusal, Damaged, OSError, SchemaNewer, SchemaChanged)


@dataclass(frozen=True, slots=True)
class RebuildState:
    """What `/stats` tells of a rebuild: deliveries played so far and in all, why it was begun,
    and when (microseconds UTC)."""

    done: int
    total: int
    reason: str
    started_at_us: int


@dataclass(frozen=True, slots=True)
class Site:
    """What a rebuild works on, what it has done for it: who starts builders, who is woken when
    one has ended, and how many bytes it may use."""

    journal: Database
    mart: MartStore
    archive: Archive
    mending: Mending
    build: Build
    wake: Callable[[], object]
    room: Callable[[], int]


class _Attempt:
    """One builder: what it has told, whether it has ended, whether its mart is in place."""

    def __init__(self, path: Path, telling: Telling) -> None:
        self.path = path
        self.telling = telling
        self.running: Running | None = None
        self.status: int | None = None
        self.report: Report | None = None
        self.swapped = False

    def stop(self) -> None:
        if self.running is not None:
            self.running.stop()


class Rebuild:
    """At most one at a time, moved on by the worker: `begin_pass` before each pass, `step` between
    two deliveries, so that nothing is folded while marts are exchanged. Neither raises.

    Whatever goes wrong before the swap leaves journal and mart as they are. What may go better the
    next time is tried again with the next pass; a builder that failed is followed by another after
    a pause, which grows.
    """

    def __init__(
        self, site: Site, *, log: Log, clock: Clock, fold_timeout_s: float, journal_mode: str
    ) -> None:
        self._site = site
        self._log = log
        self._clock = clock
        self._fold_timeout_s = fold_timeout_s
        self._journal_mode = journal_mode
        self._reason: str | None = None
        self._started_at_us: int | None = None
        self._attempt: _Attempt | None = None
        self._put_off = False
        self._failures = 0
        self._not_before_s = clock.monotonic()
        self._stopping = threading.Event()

    def due(self, reason: str) -> None:
        """The mart is to be rebuilt."""
        self._reason = reason

    @property
    def state(self) -> RebuildState | None:
        """How far it is, None while there is none. For any thread."""
        reason, started_at_us, attempt = self._reason, self._started_at_us, self._attempt
        if reason is None or started_at_us is None:
            return None
        done, total = (0, 0) if attempt is None else attempt.telling.progress
        return RebuildState(done, total, reason, started_at_us)

    def begin_pass(self) -> None:
        """Go on, also with what could not be done the last time."""
        self._put_off = False
        self.step()

    def step(self) -> None:
        """Go on, if there is anything to be done now."""
        if self._reason is None or self._put_off or self._stopping.is_set():
            return
        try:
            self._go_on(self._reason)
        except Stopped:
            self._put_off = True
        except Exception as error:  # noqa: BLE001 - the worker goes on folding
            self._put_off = True
            self._judge(error)

    def stop(self) -> None:
        """Ask for an end; a builder is ended at once. For any thread."""
        self._stopping.set()
        attempt = self._attempt
        if attempt is not None:
            attempt.stop()

    def close(self) -> None:
        """Remove what is unfinished; once the worker is out."""
        self.stop()
        if self._attempt is not None:
            self._discard(self._attempt)

    def _go_on(self, reason: str) -> None:
        attempt = self._attempt
        if attempt is None:
            if self._clock.monotonic() >= self._not_before_s:
                self._start(reason)
        elif attempt.status is not None:
            if not attempt.swapped:
                self._join(attempt, attempt.telling.built(attempt.status))
            self._settle(attempt)

    # From the start to the swap

    def _start(self, reason: str) -> None:
        mart, total = self._site.mart, sum(self._site.journal.read(tallies.by_status).values())
        size, room = mart.path.stat().st_size, self._site.room()
        if self._started_at_us is None:
            self._started_at_us = self._clock.now_us()
        if room < size:
            raise DiskFull(f"{size} bytes are needed for another mart, there is room for {room}")
        path = mart.path.with_name(f"{mart.path.name}{NEW}-{secrets.token_hex(4)}")
        attempt = self._attempt = _Attempt(path, Telling(self._log, total))

        def ended(status: int) -> None:
            attempt.status = status
            self._site.wake()

        self._log.info("rebuild started", reason=reason, deliveries=total)
        attempt.running = self._site.build(path, attempt.telling.hear, ended)
        self._heed_stop(attempt)

    def _join(self, attempt: _Attempt, built: Built) -> None:
        """Bring the new mart up to date, then put it in place."""
        with closing(open_mart(attempt.path, self._clock, self._journal_mode)) as new:
            if new.read(partial(folded.of_other_parsers, parser=PARSER)):
                raise BuildFailed("the program was exchanged under way: start it anew")
            outcome, deliveries = self._fold_rest(new, attempt, built.upto)
            report = replace(
                built.report,
                deliveries=built.report.deliveries + deliveries,
                outcome=built.report.outcome + outcome,
                mart_points=points_in(new),
            )
        as_one_file(attempt.path, self._clock)
        self._heed_stop(attempt)
        try:
            self._site.mart.swap(attempt.path)
        finally:
            if not attempt.path.exists():
                attempt.swapped, attempt.report = True, report
                self._site.mending.doubt()

    def _fold_rest(self, new: Database, attempt: _Attempt, upto: Position) -> tuple[Outcome, int]:
        """Fold into the new mart what was folded into the old one since. What still waits in the
        queue may go on waiting, it is next."""
        outcome, deliveries, after = Outcome(), 0, upto
        player = self._player(new, attempt)
        while entries := self._site.journal.read(
            partial(rows.page, status=None, from_us=None, to_us=None, cursor=after, limit=100)
        ):
            after = entries[-1].delivery.position
            for entry in entries:
                if entry.parse_status not in (PARSED, PARTIAL):
                    continue
                self._heed_stop(attempt)
                delivery_id = entry.delivery.delivery_id
                outcome += player.play(delivery_id)
                deliveries += 1
                if outcome.left_pending:
                    raise Circumstance(
                        f"{delivery_id} could not be folded now: {player.left_because}"
                    )
        return outcome, deliveries

    def _player(self, new: Database, attempt: _Attempt) -> Player:
        def find(delivery_id: str) -> Delivery | None:
            entry = self._site.journal.read(partial(rows.get, delivery_id=delivery_id))
            return None if entry is None else entry.delivery

        def keep(delivery_id: str, verdict: Verdict) -> None:
            if verdict.failure is not None:
                attempt.telling.failed[delivery_id] = verdict

        body = self._site.archive.opener
        prefix = JournalPrefix(self._site.journal, body)
        stage = Stage(find, body, prefix, Folder(new, self._clock, noted=False), keep)
        return Player(
            stage,
            log=self._log,
            clock=self._clock,
            fold_timeout_s=self._fold_timeout_s * PATIENCE,
            quiet=True,
        )

    # After the swap

    def _settle(self, attempt: _Attempt) -> None:
        """Let the journal tell what the mart now in place knows."""
        site = self._site
        site.mart.open()
        settle(site.journal, site.mart, attempt.telling.failed, partial(self._heed_stop, attempt))
        learning.note(site.journal, self._clock)
        assert attempt.report is not None
        self._log.info("rebuild finished", **attempt.report.fields())
        self._end()

    def _end(self) -> None:
        self._attempt = self._reason = self._started_at_us = None

    # What goes wrong

    def _heed_stop(self, attempt: _Attempt) -> None:
        if self._stopping.is_set():
            attempt.stop()
            raise Stopped("the service is stopping")

    def _judge(self, error: Exception) -> None:
        """What circumstances stopped is tried again as it is, as far as it came; all else begins
        anew. Once a mart is in place, mending brings the journal to it anyhow."""
        attempt = self._attempt
        fresh = isinstance(error, BuildFailed | MartDamaged) or not isinstance(error, Circumstance)
        reason = str(error) or type(error).__name__
        if attempt is not None and not fresh:
            self._log.warn("rebuild waits", reason=reason)
            return
        if isinstance(error, _EXPECTED):
            self._log.warn("rebuild failed", reason=reason)
        else:
            self._log.exception("rebuild failed", error)
        if attempt is not None and attempt.swapped:
            self._end()
            return
        if attempt is not None:
            self._discard(attempt)
            self._attempt = None
        wait_s = min(_FIRST_WAIT_S * 2**self._failures, _LONGEST_WAIT_S)
        self._failures += 1
        self._not_before_s = self._clock.monotonic() + wait_s

    def _discard(self, attempt: _Attempt) -> None:
        attempt.stop()
        with suppress(OSError, Circumstance):
            discard(attempt.path)
