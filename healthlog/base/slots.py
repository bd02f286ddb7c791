"""Places for connections: who gets one, who has to give it up, who is still there at the stop."""

from __future__ import annotations

import threading
from collections.abc import Callable
from enum import Enum
from typing import Protocol

from healthlog.base.clock import Clock

# Evicted connections whose threads have not ended yet: descriptors beyond the slots, so few.
_LEAVING_MAX = 16
_LEAVING_WAIT_S = 1.0

# An upload so young may just not have come to its first bytes.
_YOUNG_S = 1.0
_LOOK_S = 0.1
# How often an upload looks for a place: a little longer than the others stay young.
_LOOKS = 14
# Of so many connections one more is left for those whose head is still to come.
_LOBBY_SHARE = 24
_LINGER_AT_STOP_S = 1.0


class Line(Protocol):
    """What may be done to a connection from another thread."""

    def drop(self) -> None: ...

    def end_input(self) -> None: ...

    def hurry(self, at: float, /) -> None: ...


class Stage(Enum):
    """What a connection is about."""

    WAITING = "waiting"  # its next request is not yet begun: may be evicted
    GENERAL = "general"
    UPLOADING = "uploading"
    LINGERING = "lingering"  # answered, the client finishes: may be evicted
    HELD = "held"  # its answer is held back: may be evicted, first of all


_EVICTABLE = {Stage.WAITING, Stage.LINGERING, Stage.HELD}


def _unknown() -> float:
    return 0.0


class Slot:
    """One connection's place. `rate` tells how fast the client sends, bytes a second."""

    __slots__ = ("cut", "evicted", "line", "rate", "since", "stage")

    def __init__(self, line: Line, since: float) -> None:
        self.line = line
        self.since = since
        self.stage = Stage.WAITING
        self.evicted = False
        self.cut = False
        self.rate: Callable[[], float] = _unknown


class Slots:
    """At most `total` connections at once: `uploads` of them for uploads alone, a few for those
    that have not said yet what they want.

    When all are taken, the one that has kept us waiting longest without a whole head gives way: a
    phone's delivery must not be refused because browsers hold silent connections. When all places
    of uploads are taken, the slowest upload gives way to a new one.
    """

    def __init__(self, total: int, uploads: int, clock: Clock) -> None:
        self._total = total
        self._uploads = uploads
        self._general = max(1, total - uploads - total // _LOBBY_SHARE)
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

    def begin(self, slot: Slot) -> bool:
        """A whole head is there. False when the request can't be taken."""
        with self._changed:
            if slot.evicted or self._count(Stage.GENERAL) >= self._general:
                slot.stage = Stage.LINGERING
                return False
            slot.stage = Stage.GENERAL
            return True

    def begin_upload(self, slot: Slot) -> bool:
        """An upload that may come in. False when it can't be taken, or at the stop.

        It waits for a place, for as long as no other upload can be told to be slow.
        """
        with self._changed:
            for _ in range(_LOOKS):
                if slot.evicted or self._stopping:
                    break
                if self._uploading() < self._uploads or self._cut_slowest():
                    slot.stage = Stage.UPLOADING
                    slot.since = self._clock.monotonic()
                    slot.cut = False
                    return True
                self._changed.wait(_LOOK_S)
            slot.stage = Stage.LINGERING
            return False

    def hold(self, slot: Slot, seconds: float) -> None:
        """Keep an answer back, unless the place is wanted or the service stops."""
        with self._changed:
            self._move(slot, Stage.HELD)
            self._changed.wait_for(lambda: slot.evicted or self._stopping, seconds)

    def rest(self, slot: Slot) -> None:
        """The connection waits for a head again; at the stop it finds only what is already here."""
        with self._changed:
            if slot.stage is not Stage.WAITING:  # else it has waited since its admission
                self._move(slot, Stage.WAITING)
            if self._stopping:
                slot.line.end_input()

    def linger(self, slot: Slot) -> None:
        """The last answer of the connection is out; its read deadline is set."""
        with self._changed:
            self._move(slot, Stage.LINGERING)
            if self._stopping:
                slot.line.hurry(self._clock.monotonic() + _LINGER_AT_STOP_S)

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
                elif slot.stage is Stage.LINGERING:
                    slot.line.hurry(self._clock.monotonic() + _LINGER_AT_STOP_S)
            self._changed.notify_all()

    def drop_all(self) -> None:
        """Break every connection.

        Under the lock, as every use of `line`: a slot is released before its socket is closed, so
        the descriptor can't meanwhile belong to somebody else.
        """
        with self._changed:
            self._stopping = True
            for slot in self._live:
                slot.line.drop()
            self._changed.notify_all()

    def wait_empty(self, deadline: float) -> bool:
        """Whether all connections were over by `deadline` (monotonic, s)."""
        with self._changed:
            left_s = max(0.0, deadline - self._clock.monotonic())
            return self._changed.wait_for(lambda: not self._live, left_s)

    def __len__(self) -> int:
        return len(self._live)

    def _move(self, slot: Slot, stage: Stage) -> None:
        slot.stage = stage
        slot.cut = False
        slot.since = self._clock.monotonic()
        self._changed.notify_all()

    def _count(self, stage: Stage) -> int:
        return sum(slot.stage is stage for slot in self._live)

    def _uploading(self) -> int:
        return sum(slot.stage is Stage.UPLOADING and not slot.cut for slot in self._live)

    def _has_room(self) -> bool:
        return sum(not slot.evicted for slot in self._live) < self._total

    def _few_leaving(self) -> bool:
        return len(self._live) < self._total + _LEAVING_MAX

    def _evict_oldest(self) -> bool:
        idle = [slot for slot in self._live if slot.stage in _EVICTABLE and not slot.evicted]
        if not idle:
            return False
        oldest = min(idle, key=lambda slot: (slot.stage is not Stage.HELD, slot.since))
        oldest.evicted = True
        oldest.line.drop()
        self._changed.notify_all()
        return True

    def _cut_slowest(self) -> bool:
        """Whether an upload gives way: it is answered at once that it came too late."""
        now = self._clock.monotonic()
        uploads = [slot for slot in self._live if slot.stage is Stage.UPLOADING]
        old = [slot for slot in uploads if not slot.cut and now - slot.since >= _YOUNG_S]
        if not old or sum(slot.cut for slot in uploads) >= _LEAVING_MAX:
            return False
        slowest = min(old, key=lambda slot: (slot.rate(), slot.since))
        slowest.cut = True
        slowest.line.hurry(now)
        return True
