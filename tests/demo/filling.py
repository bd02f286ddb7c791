"""A data directory filled by the intake that serves a phone, on a clock that runs along."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from healthlog.accept import Intake
from healthlog.archive.store import Archive
from healthlog.base.clock import text_us
from healthlog.base.errors import Refusal
from healthlog.base.lock import FileLock
from healthlog.base.log import Log
from healthlog.config import FILE_NAME
from healthlog.databases import open_up_to_date
from healthlog.home import Home
from tests.demo.pushes import Push

_SETTINGS = """\
# Written with the invented data: the zone in which these days were lived.
timezone = "{zone}"
"""


class NotEmpty(Refusal):
    """There is something in the directory already; invented data never goes beside real ones."""


@dataclass(slots=True)
class StandingClock:
    """Stands at the instant of what is coming in."""

    wall_us: int

    def now_us(self) -> int:
        return self.wall_us

    def monotonic(self) -> float:
        return monotonic()


@dataclass(slots=True)
class Filled:
    """What went in."""

    deliveries: int = 0
    bytes: int = 0
    by_automation: dict[str, int] = field(default_factory=dict)


def fill(data: Path, pushes: Iterable[Push], *, seed: int, zone: str) -> Filled:
    """Make deliveries of the pushes in a directory that is not there yet, or empty; NotEmpty
    otherwise. Nothing is folded. The ids, too, come from the seed."""
    if data.exists() and (not data.is_dir() or any(data.iterdir())):
        raise NotEmpty(f"{data} is not an empty directory")
    home = Home(data)
    home.prepare()
    (data / FILE_NAME).write_text(_SETTINGS.format(zone=zone), encoding="utf-8")
    coming = iter(pushes)
    first = next(coming)
    clock, chance, done = StandingClock(first.at_us), random.Random(seed), Filled()
    with (
        FileLock(home.lock),
        closing(open_up_to_date(home.journal, "journal", clock, "wal")) as journal,
    ):
        archive = Archive(data)
        archive.prepare()
        intake = Intake(
            archive,
            journal,
            clock=clock,
            log=Log(sys.stderr, clock, "ERROR"),
            last_stamp_us=None,
            # The clock is right: only the program is younger than the days it is told of.
            newest_migration=text_us(first.at_us)[:10],
            tail=lambda: f"{chance.getrandbits(32):08x}",
        )
        for push in (first, *coming):
            clock.wall_us = push.at_us
            with archive.writer() as writer:
                writer.write(push.body)
                writer.finish()
                intake.accept(writer, push.facts)
            done.deliveries += 1
            done.bytes += len(push.body)
            name = push.facts.automation_name or "by hand"
            done.by_automation[name] = done.by_automation.get(name, 0) + 1
    return done
