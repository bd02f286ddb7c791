"""The requests refused last: a short memory that a flood can't fill."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from dataclasses import replace

from healthlog.base.clock import Clock
from healthlog.base.db import Database
from healthlog.base.errors import Circumstance, Damaged
from healthlog.base.web import Event
from healthlog.journal.refusals import MOST, Refused, read_all, write_all

KEPT_EVERY_S = 60.0

_REFUSED_FROM = 400
_SHORT, _PATH = 80, 120
# What a path may hold that nobody should read again: keys, tokens, names.
_SECRET = re.compile(r"(?=[^/]*[0-9A-Z%])[^/]{16,}")

_Key = tuple[object, ...]


class RefusedLog:
    """Notes refusals in memory, writes them to the journal now and then.

    What is refused again in the same way is counted, not repeated. Half of the places are for
    uploads, so that whoever tries a thousand addresses pushes out no delivery. May be used by many
    threads.
    """

    def __init__(self, journal: Database, clock: Clock) -> None:
        self._journal = journal
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: dict[bool, OrderedDict[_Key, Refused]] = {
            True: OrderedDict(),
            False: OrderedDict(),
        }
        self._changed = False
        self._written_at = clock.monotonic()
        for one in journal.read(read_all):
            self._add(one)

    def note(self, event: Event) -> None:
        """One answer given; what went well is left out."""
        if event.status < _REFUSED_FROM:
            return
        one = _refused(event, self._clock.now_us())
        with self._lock:
            self._add(one)
            self._changed = True

    def latest(self) -> list[Refused]:
        """All of them, the last one first."""
        with self._lock:
            every = [one for kept in self._kept.values() for one in kept.values()]
        return sorted(every, key=lambda one: one.last_at_us, reverse=True)

    def keep(self, *, at_once: bool = False) -> None:
        """Write them to the journal, if there are new ones and it was not done a moment ago.

        A journal that can't be written to now is tried again with the next call.
        """
        now = self._clock.monotonic()
        if not self._changed or not (at_once or now - self._written_at >= KEPT_EVERY_S):
            return
        self._written_at, self._changed = now, False
        rows = self.latest()[::-1]
        try:
            self._journal.write(lambda c: write_all(c, rows))
        except (Circumstance, Damaged):
            self._changed = True

    def _add(self, one: Refused) -> None:
        kept = self._kept[one.upload]
        key = (one.status, one.reason, one.method, one.path, one.remote, one.content_type)
        before = kept.pop(key, None)
        if before is not None:
            one = replace(one, first_at_us=before.first_at_us, times=before.times + one.times)
        kept[key] = one
        if len(kept) > MOST // 2:
            kept.popitem(last=False)


def _refused(event: Event, now_us: int) -> Refused:
    headers = event.headers
    # A type has parameters, in which a file may have its name.
    kind = (headers.get("Content-Type") or "").partition(";")[0].strip()
    return Refused(
        first_at_us=now_us,
        last_at_us=now_us,
        times=1,
        status=event.status,
        reason=event.reason,
        method=event.method[:_SHORT],
        path=shown_path(event),
        remote=event.remote,
        upload=event.route is not None and event.route.upload,
        content_type=kind[:_SHORT],
        announced=event.announced,
        user_agent=(headers.get("User-Agent") or "")[:_SHORT],
    )


def shown_path(event: Event) -> str:
    """The path as it may be kept: its pattern, if there is one. Where there is nothing, what looks
    like a key is left out: somebody may have put the token there."""
    if event.route is not None:
        return event.route.pattern
    return _SECRET.sub("…", event.path)[:_PATH]
