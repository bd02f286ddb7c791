"""A rebuild in this process: the builder runs when a test says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from healthlog import builder
from healthlog.builder import Built, Running
from healthlog.learning import learn
from healthlog.model import PARSER, Delivery
from healthlog.rebuild import Rebuild, RebuildState, Site
from healthlog.reindex import Replay
from healthlog.worker import Worker
from tests.support.bodies import NO_JSON, ONE_DAY, PARTIAL, TWO_DAYS, minutes
from tests.support.clock import FakeClock
from tests.support.earlier import age
from tests.support.engine import Engine, open_engine

PLENTY = 1 << 40


@dataclass(slots=True)
class Builder:
    """Starts nothing; `run` is what the process would do. `stopped` counts how often it was."""

    engine: Engine
    started: list[Path] = field(default_factory=list)
    stopped: int = 0
    hear: Callable[[str], object] = print
    ended: Callable[[int], object] = print

    def __call__(
        self, path: Path, hear: Callable[[str], object], ended: Callable[[int], object]
    ) -> Running:
        self.started.append(path)
        self.hear, self.ended = hear, ended
        return self

    def stop(self) -> None:
        self.stopped += 1

    def replay(self, **options: Any) -> Replay:
        """What builds, telling how far it is."""

        def progress(done: int, total: int) -> None:
            self.hear(builder.progress_line(done, total))

        return self.engine.replay(**{"progress": progress, **options})

    def run(self, **options: Any) -> None:
        """Build to the end, then tell."""
        replay = self.replay(**options)
        report, upto = replay.beside(self.started[-1])
        for delivery_id, verdict in replay.failed.items():
            self.hear(builder.failed_line(delivery_id, verdict))
        self.hear(builder.built_line(Built(upto, report)))
        self.ended(0)

    def fail(self, reason: str) -> None:
        """End before the end."""
        self.hear(builder.gave_up_line(reason))
        self.ended(1)


@dataclass(slots=True)
class Yard:
    """A log with a rebuild that its worker moves on."""

    engine: Engine
    builder: Builder
    rebuild: Rebuild
    worker: Worker
    woken: list[str]
    room: list[int]

    @property
    def state(self) -> RebuildState | None:
        return self.rebuild.state

    def run_pass(self) -> None:
        self.worker.run_pass()

    def due(self) -> None:
        """What a start finds to be due."""
        found = learn(self.engine.journal, self.engine.mart, self.engine.clock)
        if found.rebuild is not None:
            self.rebuild.due(found.rebuild)

    def new_files(self) -> list[str]:
        return sorted(path.name for path in self.engine.house.data.glob("mart.db.new*"))

    def parsers(self) -> set[int | None]:
        """By which parsers the rows of the journal were last folded."""
        query = "SELECT DISTINCT parser FROM delivery WHERE parse_status <> 'pending'"
        return {row[0] for row in self.engine.journal.read(lambda c: c.execute(query).fetchall())}

    def is_done(self) -> bool:
        """Whether everything is of this parser, with nothing under way or left over."""
        return (self.state, self.new_files(), self.parsers()) == (None, [], {PARSER})


def site_of(engine: Engine, **parts: Any) -> Yard:
    """A rebuild over a log. `parts` stand in for those of its site."""
    woken: list[str] = []
    room = [PLENTY]
    building = Builder(engine)
    site = Site(
        journal=engine.journal,
        mart=engine.mart,
        archive=engine.house.archive,
        mending=engine.mending,
        build=building,
        wake=lambda: woken.append("woken"),
        room=lambda: room[0],
    )
    rebuild = Rebuild(
        replace(site, **parts),
        log=engine.house.log,
        clock=engine.clock,
        fold_timeout_s=120.0,
        journal_mode="wal",
    )

    def before_pass() -> None:
        engine.before_pass()
        rebuild.begin_pass()

    work = replace(engine.work(), before_pass=before_pass, between=rebuild.step)
    return Yard(engine, building, rebuild, engine.worker(work=work), woken, room)


@contextmanager
def open_site(data: Path, clock: FakeClock) -> Iterator[Yard]:
    """An empty log with a rebuild, which is closed as a service closes it."""
    with open_engine(data, clock) as engine:
        site = site_of(engine)
        try:
            yield site
        finally:
            site.rebuild.close()


def fill(yard: Yard) -> list[Delivery]:
    """Deliveries of each status, folded by an earlier parser."""
    sent = (TWO_DAYS, PARTIAL, NO_JSON, ONE_DAY, minutes(60), minutes(60, 12))
    posted = [yard.engine.post(one, automation_id="A") for one in sent]
    yard.engine.fold_all()
    age(yard.engine)
    yard.due()
    return posted


def started(yard: Yard) -> list[Delivery]:
    """With a builder at work."""
    posted = fill(yard)
    yard.run_pass()
    assert len(yard.builder.started) == 1
    return posted


def said(yard: Yard, msg: str) -> list[dict[str, Any]]:
    return yard.engine.said(msg)
