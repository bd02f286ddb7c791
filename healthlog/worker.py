"""The one thread that folds what is pending."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from healthlog.base.clock import Clock
from healthlog.base.log import Log
from healthlog.fold import MartDamaged
from healthlog.journal.queue import ZERO
from healthlog.replay import Outcome, Player

Position = tuple[int, str]
PAGE = 100
_CIRCUMSTANCES_IN_A_ROW = 2


@dataclass(frozen=True, slots=True)
class WorkerState:
    """What `/stats` tells of the worker. Instants in microseconds UTC."""

    alive: bool = False
    last_pass_started_at_us: int | None = None
    last_pass_finished_at_us: int | None = None
    passes: int = 0
    folded: int = 0


def _nothing() -> None:
    """What there is to do between deliveries where nothing else is under way."""


def _rest(wait: Callable[[float], bool]) -> None:
    """What there is to do after a pass where nothing is."""


@dataclass(frozen=True, slots=True)
class Work:
    """What the worker works on: a page of the queue behind a position, how many wait, what has to
    be put right before each pass, who is told of a damaged mart, to put it right then, and what
    is done between two deliveries, which raises nothing. Nor does what is done after a pass, with
    waits between (seconds) until one says that there is something else to do."""

    pending_page: Callable[[Position, int], list[Position]]
    pending_count: Callable[[], int]
    before_pass: Callable[[], object]
    on_damage: Callable[[MartDamaged], object]
    between: Callable[[], object] = _nothing
    idle: Callable[[Callable[[float], bool]], object] = _rest


class Worker:
    """Folds pending deliveries in the journal's order, page by page, one at a time.

    There is one, and that is a requirement: the layer is a function of the journal's prefix, and
    merging reads before it writes.
    """

    def __init__(
        self,
        work: Work,
        player: Player,
        *,
        log: Log,
        clock: Clock,
        tick_s: float,
        lag_warning_s: float,
        page: int = PAGE,
    ) -> None:
        self._work = work
        self._player = player
        self._log = log
        self._clock = clock
        self._tick_s = tick_s
        self._lag_warning_s = lag_warning_s
        self._page = page
        self._signal = threading.Event()
        self._stopping = threading.Event()
        self._damaged = False
        self._left: set[str] = set()
        self._state = WorkerState()

    def wake(self) -> None:
        """There is work. The signal is one bit and may be lost in another: the queue is the
        table."""
        self._signal.set()

    def stop(self) -> None:
        """Ask the loop to end; a fold that has begun is not cut."""
        self._stopping.set()
        self._signal.set()

    @property
    def state(self) -> WorkerState:
        return self._state

    def run(self) -> None:
        """Pass after pass until asked to stop. The first begins at once, for what an earlier
        process left."""
        self._note(alive=True)
        try:
            self._signal.set()
            while self._wait():
                self.run_pass()
                self._work.idle(self._signal.wait)
        finally:
            self._note(alive=False)

    def _wait(self) -> bool:
        """Wait for signal or tick; False when it is time to end."""
        self._signal.wait(self._tick_s)
        # Cleared before the queue is read: what arrives later sets it again.
        self._signal.clear()
        return not self._stopping.is_set()

    def run_pass(self) -> Outcome:
        """One walk over the queue. It always ends: the cursor only moves forward, and what
        arrives behind it has signalled for the next pass."""
        first = self._state.passes == 0
        self._note(last_pass_started_at_us=self._clock.now_us(), passes=self._state.passes + 1)
        outcome = Outcome()
        damaged_before, self._damaged = self._damaged, False
        try:
            if first:
                self._log.info("backlog at start", pending=self._work.pending_count())
            self._work.before_pass()
            outcome = self._walk(first)
        except MartDamaged as damage:
            self._damaged = True
            self._work.on_damage(damage)
            # Made anew at once, but not again and again: a failing disk would be filled by it.
            if not damaged_before:
                self.wake()
        except Exception as error:  # noqa: BLE001 - a pass may fail, the loop goes on
            self._log.exception("pass failed", error)
        self._note(last_pass_finished_at_us=self._clock.now_us())
        return outcome

    def _walk(self, first: bool) -> Outcome:
        outcome, in_a_row, put_off, left = Outcome(), 0, set(self._left), set[str]()
        for position in self._queue(frozenset(put_off)):
            if self._stopping.is_set():
                break
            self._work.between()
            if not first:
                self._warn_of_lag(position)
            delivery_id = position[1]
            played = self._player.play(delivery_id)
            self._note(folded=self._state.folded + played.folded)
            outcome += played
            put_off.discard(delivery_id)
            if played.left_pending:
                left.add(delivery_id)
            in_a_row = in_a_row + 1 if played.left_pending else 0
            if in_a_row == _CIRCUMSTANCES_IN_A_ROW:
                break
        else:
            put_off.clear()  # what isn't pending any more
        self._left = put_off | left
        return outcome

    def _queue(self, put_off: frozenset[str]) -> Iterator[Position]:
        """What is pending, in the journal's order; what an earlier pass had to leave comes last:
        two bodies on a bad spot of the disk must not stand before all others for ever."""
        cursor, later = ZERO, []
        while page := self._work.pending_page(cursor, self._page):
            for cursor in page:
                if cursor[1] in put_off:
                    later.append(cursor)
                else:
                    yield cursor
        yield from later

    def _warn_of_lag(self, position: Position) -> None:
        received_at_us, delivery_id = position
        waited_s = (self._clock.now_us() - received_at_us) / 1_000_000
        if waited_s > self._lag_warning_s:
            self._log.warn(
                "delivery waited too long", delivery_id=delivery_id, waited_s=round(waited_s, 1)
            )

    def _note(self, **changes: int | bool) -> None:
        self._state = replace(self._state, **changes)  # type: ignore[arg-type]
