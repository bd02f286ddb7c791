"""Places for connections: who gets one, who has to give it up, who is still there at the stop."""

from __future__ import annotations

import threading
from enum import Enum
from typing import Protocol

from healthlog.base.clock import Clock

# Evicted connections whose threads have not ended yet: descriptors beyond the slots, so few.
_LEAVING_MAX = 16
_LEAVING_WAIT_S = 1.0


class Line(Protocol):
    """What may be done to a connection from another thread."""

    def drop(self) -> None: ...

    def end_input(self) -> None: ...


class Stage(Enum):
    """What a connection is about."""

    WAITING = "waiting"  # its next head is not complete: may be evicted
    GENERAL = "general"
    UPLOADING = "uploading"
    LINGERING = "lingering"  # answered, the client finishes: may be evicted


class Slot:
    """One connection's place."""

    __slots__ = ("evicted", "line", "since", "stage")

    def __init__(self, line: Line, since: float) -> None:
        self.line = line
        self.since = since
        self.stage = Stage.WAITING
        self.evicted = False


class Slots:
    """At most `total` connections at once, `uploads_reserved` of them never for general requests.

    When all are taken, the one that has kept us waiting longest without a whole head gives way: a
    phone's delivery must not be refused because browsers hold silent connections.
    """

    def __init__(self, total: int, uploads_reserved: int, clock: Clock) -> None:
        self._total = total
        self._general = total - uploads_reserved
        self._clock = clock
        self._live: set[Slot] = set()
        self._changed = threading.Condition()
        self._stopping = False

    @property
    def stopping(self) -> bool:
        return self._stopping

    def admit(self, line: Line) -> Slot | None:
        """A place for a new connection; None when all are busy, or at the stop."""
        with self._changed:
            if self._stopping or not (self._has_room() or self._evict_oldest()):
                return None
            if not self._changed.wait_for(self._few_leaving, _LEAVING_WAIT_S):
                return None
            slot = Slot(line, self._clock.monotonic())
            self._live.add(slot)
            return slot

    def begin(self, slot: Slot, *, upload: bool) -> bool:
        """A whole head is there. False when the request can't be taken."""
        with self._changed:
            slot.stage = Stage.LINGERING
            if slot.evicted or not (upload or self._general_has_room()):
                return False
            slot.stage = Stage.UPLOADING if upload else Stage.GENERAL
            return True

    def rest(self, slot: Slot) -> None:
        """The connection waits for a head again; at the stop it finds only what is already here."""
        with self._changed:
            if slot.stage is not Stage.WAITING:  # else it has waited since its admission
                slot.stage = Stage.WAITING
                slot.since = self._clock.monotonic()
            if self._stopping:
                slot.line.end_input()

    def linger(self, slot: Slot) -> None:
        """The last answer of the connection is out."""
        with self._changed:
            slot.stage = Stage.LINGERING
            slot.since = self._clock.monotonic()

    def release(self, slot: Slot) -> None:
        """The connection is over. To be called before its socket is closed: see `drop_all`."""
        with self._changed:
            self._live.discard(slot)
            self._changed.notify_all()

    def stop(self) -> None:
        """No more connections; those that wait for a head are told that no more will come."""
        with self._changed:
            self._stopping = True
            for slot in self._live:
                if slot.stage is Stage.WAITING:
                    slot.line.end_input()

    def drop_all(self) -> None:
        """Break every connection.

        Under the lock, as every use of `line`: a slot is released before its socket is closed, so
        the descriptor can't meanwhile belong to somebody else.
        """
        with self._changed:
            self._stopping = True
            for slot in self._live:
                slot.line.drop()

    def wait_empty(self, deadline: float) -> bool:
        """Whether all connections were over by `deadline` (monotonic, s)."""
        with self._changed:
            left_s = max(0.0, deadline - self._clock.monotonic())
            return self._changed.wait_for(lambda: not self._live, left_s)

    def __len__(self) -> int:
        return len(self._live)

    def _has_room(self) -> bool:
        return sum(not slot.evicted for slot in self._live) < self._total

    def _few_leaving(self) -> bool:
        return len(self._live) < self._total + _LEAVING_MAX

    def _general_has_room(self) -> bool:
        return sum(slot.stage is Stage.GENERAL for slot in self._live) < self._general

    def _evict_oldest(self) -> bool:
        idle = [
            slot
            for slot in self._live
            if slot.stage in {Stage.WAITING, Stage.LINGERING} and not slot.evicted
        ]
        if not idle:
            return False
        oldest = min(idle, key=lambda slot: slot.since)
        oldest.evicted = True
        oldest.line.drop()
        return True
