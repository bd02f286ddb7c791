"""Playing one delivery of the journal: the one place where an outcome is classified."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from operator import add, attrgetter
from typing import TypeVar

from healthlog import layer as layers
from healthlog import planning
from healthlog.archive.read import Unreadable
from healthlog.base.clock import Clock
from healthlog.base.errors import Circumstance, is_circumstance, told
from healthlog.base.log import Log
from healthlog.fold import Folder, MartDamaged
from healthlog.hae.envelope import Malformed
from healthlog.hae.memory import Memory
from healthlog.model import (
    DEADLINE,
    INTERNAL,
    LAYER_UNKNOWN,
    MALFORMED,
    PARTIAL,
    TOO_LARGE,
    UNREADABLE,
    Account,
    Delivery,
    Failure,
    Verdict,
)
from healthlog.planning import Heard, LayerUnknown, Overdue, Prepared
from healthlog.prefix import Prefix, ReadBody

T = TypeVar("T")

_PLAIN_FAILURES = frozenset((MALFORMED, LAYER_UNKNOWN, TOO_LARGE))
_KINDS: Mapping[str, type[Exception]] = {
    MALFORMED: Malformed,
    LAYER_UNKNOWN: LayerUnknown,
    UNREADABLE: Unreadable,
    TOO_LARGE: MemoryError,
    DEADLINE: Overdue,
}


class NotInJournal(Circumstance):
    """A delivery was named that the journal doesn't know."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How playing ended, in counts that add up. `partial` is counted in `folded` too; what is
    counted of the contents (`points`, `records` and below) comes from successful folds alone."""

    folded: int = 0
    partial: int = 0
    layer_unknown: int = 0
    malformed: int = 0
    broken: int = 0
    left_pending: int = 0
    points: int = 0
    records: int = 0
    new: int = 0
    changed: int = 0
    same: int = 0
    outdated: int = 0
    rejected: int = 0
    incomparable: int = 0

    def __add__(self, other: Outcome) -> Outcome:
        return Outcome(*map(add, _counts(self), _counts(other)))


_counts = attrgetter(*(one.name for one in fields(Outcome)))


def _nobody(_: Delivery) -> None:
    """Where nothing is prepared by anybody else."""


@dataclass(frozen=True, slots=True)
class Stage:
    """Where and by what a player plays: where a body comes from (whole, or to be opened as often
    as it is read), what the journal's prefix passes on, which mart is folded into, who keeps the
    verdict, and what was prepared `ahead`."""

    find: Callable[[str], Delivery | None]
    read_body: ReadBody
    prefix: Prefix
    folder: Folder
    keep: Callable[[str, Verdict], None]
    ahead: Callable[[Delivery], Prepared | None] = _nobody


class _Patience:
    """The deadline of one fold. Reading earlier deliveries for the layer they pass on is not
    counted: it depends on them, and is done once for all that follow."""

    def __init__(self, clock: Clock, begun: float, timeout_s: float) -> None:
        self._clock = clock
        self._timeout_s = timeout_s
        self._until = begun + timeout_s

    def check(self) -> None:
        if self._clock.monotonic() > self._until:
            raise Overdue(f"the fold took longer than {self._timeout_s:g} s")

    def uncounted(self, ask: Callable[[], T]) -> T:
        begun = self._clock.monotonic()
        found = ask()
        self._until += self._clock.monotonic() - begun
        return found


def _uncounted(status: str, seconds: float) -> None:
    """Where nobody counts outcomes."""


class Player:
    """Plays deliveries one by one. It looks at no stop flag: whoever calls decides about
    stopping, and only between deliveries. `judged` is told of each verdict kept, with how long
    it took, in seconds; `left_because` says of the last one left pending why."""

    def __init__(
        self,
        stage: Stage,
        *,
        log: Log,
        clock: Clock,
        fold_timeout_s: float,
        quiet: bool = False,
        judged: Callable[[str, float], None] = _uncounted,
    ) -> None:
        self._stage = stage
        self._log = log
        self._clock = clock
        self._fold_timeout_s = fold_timeout_s
        self._quiet = quiet
        self._judged = judged
        self.left_because = ""
        self._memory = Memory()

    def play(self, delivery_id: str) -> Outcome:
        """Fold one delivery, keep the verdict, say how it ended.

        What circumstances stopped is left pending, and so is what the verdict of which could
        not be kept. MartDamaged passes through: the caller makes the mart anew.
        """
        begun = self._clock.monotonic()
        try:
            delivery = self._stage.find(delivery_id)
            if delivery is None:
                raise NotInJournal(f"the journal has no row of {delivery_id}")
            verdict, records = self._verdict(delivery, begun)
            self._stage.keep(delivery_id, verdict)
        except MartDamaged:
            raise
        except Exception as error:  # noqa: BLE001 - without row or outcome it stays pending
            self._tell_left(delivery_id, error)
            return Outcome(left_pending=1)
        self._judged(verdict.status, self._clock.monotonic() - begun)
        self._tell(delivery_id, verdict, records, begun)
        return _outcome(verdict, records)

    def _verdict(self, delivery: Delivery, begun: float) -> tuple[Verdict, int]:
        """Fold, and judge what went wrong: circumstances are raised, all else is a failure. Says
        beside how many of the elements taken are of records."""
        stage, records = self._stage, 0
        heard: Heard | Prepared | None = None
        patience = _Patience(self._clock, begun, self._fold_timeout_s)
        uncovered: tuple[str, ...] = ()
        try:
            # Who prepared it has a deadline of its own.
            heard = prepared = patience.uncounted(lambda: stage.ahead(delivery))
            if prepared is None:
                body = stage.read_body(delivery)
                heard = planning.hear(delivery, body, patience.check, self._memory)
                uncovered = heard.uncovered()
                planned = planning.plan(
                    heard, lambda: patience.uncounted(lambda: stage.prefix.inherited(delivery))
                )
            else:
                planned = prepared.plan
            uncovered, records = planned.uncovered, planned.words
            verdict = Verdict(stage.folder.fold(delivery, planned, patience.check))
        except Exception as error:
            if is_circumstance(error):
                raise
            failure = self._failure(delivery, error)
            verdict = Verdict(Account(self._clock.now_us(), uncovered=uncovered), failure)
        self._pass_on(delivery, heard, verdict.failure)
        return verdict, records

    def _pass_on(
        self, delivery: Delivery, heard: Heard | Prepared | None, failure: Failure | None
    ) -> None:
        """Tell the prefix; a failed delivery passes its own layer on too."""
        declared = layers.declared(delivery.aggregation)
        if heard is not None:
            self._stage.prefix.note(delivery, heard.own_layer)
        elif declared is not None or (failure is not None and failure.kind == MALFORMED):
            self._stage.prefix.note(delivery, declared)
        else:
            self._stage.prefix.miss(delivery)

    def _failure(self, delivery: Delivery, error: Exception) -> Failure:
        for kind, kind_of_error in _KINDS.items():
            if isinstance(error, kind_of_error):
                return Failure(kind, str(error) or kind)
        self._log.exception(
            "delivery failed", error, delivery_id=delivery.delivery_id, kind=INTERNAL
        )
        return Failure(INTERNAL, f"the fold broke with {type(error).__name__}")

    def _tell_left(self, delivery_id: str, error: Exception) -> None:
        self.left_because = told(error) or type(error).__name__
        if is_circumstance(error):
            self._log.warn(
                "delivery left pending", delivery_id=delivery_id, reason=self.left_because
            )
        else:
            self._log.exception("delivery left pending", error, delivery_id=delivery_id)

    def _tell(self, delivery_id: str, verdict: Verdict, records: int, begun: float) -> None:
        failure, account = verdict.failure, verdict.account
        if failure is not None:
            if failure.kind == INTERNAL:
                return  # told already, with its traceback
            tell = self._log.warn if failure.kind in _PLAIN_FAILURES else self._log.error
            tell(
                "delivery failed",
                delivery_id=delivery_id,
                kind=failure.kind,
                error=failure.message,
            )
        elif not self._quiet:
            self._log.info(
                "delivery folded",
                delivery_id=delivery_id,
                parse_status=verdict.status,
                layer=account.layer,
                points=account.counts.taken - records,
                records=records,
                rejected=account.counts.rejected,
                duration_ms=round((self._clock.monotonic() - begun) * 1000, 1),
            )


def _outcome(verdict: Verdict, records: int) -> Outcome:
    if verdict.failure is not None:
        kind = verdict.failure.kind
        if kind == LAYER_UNKNOWN:
            return Outcome(layer_unknown=1)
        return Outcome(malformed=1) if kind == MALFORMED else Outcome(broken=1)
    counts = verdict.account.counts
    return Outcome(
        folded=1,
        partial=int(verdict.status == PARTIAL),
        points=counts.taken - records,
        records=records,
        new=counts.new,
        changed=counts.changed,
        same=counts.same,
        outdated=counts.outdated,
        rejected=counts.rejected,
        incomparable=counts.incomparable,
    )
