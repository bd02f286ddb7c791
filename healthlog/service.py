"""The service: all parts wired, started in order, stopped in order."""

from __future__ import annotations

import threading

from healthlog import voice
from healthlog.adopt import adopt
from healthlog.alarm import Alarm
from healthlog.archive.store import Archive
from healthlog.base.clock import Clock
from healthlog.base.errors import Circumstance, Damaged
from healthlog.base.held import Turns
from healthlog.base.httpd import Server
from healthlog.base.log import Log
from healthlog.base.metrics import Registry
from healthlog.base.runtime import Deadline, supervised
from healthlog.base.web import Event
from healthlog.builder import Build, Process
from healthlog.config import Settings
from healthlog.databases import open_up_to_date
from healthlog.fold import MartDamaged
from healthlog.front import certificates_of, open_front, open_server
from healthlog.home import Home
from healthlog.imports.door import ImportDoor, journal_mark
from healthlog.ingest import Ingest
from healthlog.learning import Learned, learn
from healthlog.mart.store import MartStore, identity
from healthlog.mending import Mending
from healthlog.meters import Gauges, Meters
from healthlog.model import COVERAGE
from healthlog.notices.channels import channels
from healthlog.parts import AT_ONCE, Parts
from healthlog.reindex import sweep
from healthlog.routes import routes
from healthlog.tokens import INGEST, Tokens
from healthlog.version import VERSION
from healthlog.web import pages
from healthlog.wiring import (
    Ground,
    Hooks,
    make_intake,
    make_rebuild,
    make_watch,
    make_worker,
)

_MARGIN_S = 0.5
"""Kept of the stop's budget for closing files and leaving, or half of a smaller budget."""


class NotListening(Circumstance):
    """The address can't be listened at; the message names it."""


class Service:
    """One log being served. The caller holds the lock of the data directory."""

    def __init__(
        self, settings: Settings, *, log: Log, clock: Clock, build: Build | None = None
    ) -> None:
        self._settings = settings
        self._log = log
        self._clock = clock
        # First of all: no file is open yet when they turn out to be unusable.
        certificates = certificates_of(settings, log)
        home = Home(settings.data)
        self._tokens = Tokens(home.tokens, settings.ingest_token, settings.read_token)
        self._home = home
        self._alarm = Alarm(log, clock)
        self._archive = Archive(settings.data, tell=self._alarm.of_files)
        mode = settings.journal_mode
        self._journal = open_up_to_date(
            home.journal, "journal", clock, mode, tell=self._alarm.of_journal
        )
        self._journal_was = identity(home.journal)
        self._mart = MartStore(settings.data, clock, mode, tell=self._alarm.of_files)
        self._front = open_front(
            settings, self._tokens, self._journal, certificates, log=log, clock=clock
        )
        self._mending = Mending(self._journal, self._mart, log)
        self._ground = Ground(settings, self._archive, self._journal, self._mart, log, clock)
        self._rebuild = make_rebuild(
            self._ground, self._mending, build or Process(settings), self._wake
        )
        self._watch = make_watch(self._ground)
        self._registry = Registry()
        self._meters = Meters(self._registry)
        self._recordings = voice.recordings(
            settings,
            self._journal,
            clock=clock,
            log=log,
            registry=self._registry,
            min_free=self._ground.min_free,
        )
        mark = journal_mark(home.journal)
        self._desk = voice.desk(self._recordings, settings, clock=clock, mark=mark)
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Bring archive, journal and mart together, then open the door, then fold."""
        sweep(self._mart.path)
        self._mart.open()
        adoption = adopt(self._archive, self._journal, self._mending.start_over)
        if adoption.adopted:
            self._log.info("bodies adopted", bodies=len(adoption.adopted))
        self._mending.mend()
        self._learn()
        self._recordings.prepare()
        self._intake = make_intake(self._ground, adoption)
        self._worker = make_worker(
            self._ground,
            Hooks(self._before_pass, self._on_damage, self._rebuild.step, self._meters.judged),
        )
        self._server = self._make_server()
        self._server.start()
        self._log.info("service started", **self._told())
        for name, run in (("worker", self._worker.run), ("watch", self._watch.run)):
            thread = supervised(name, run, self._log, lambda: None)
            thread.start()
            self._threads.append(thread)
        self._recordings.start()

    @property
    def port(self) -> int:
        return self._server.port

    def stop(self) -> bool:
        """Stop within the budget: the door first, then the worker, then the files. False when
        something is still at work, so that the files had to stay open."""
        budget_s = self._settings.stop_budget
        deadline = Deadline.after(self._clock, budget_s - min(_MARGIN_S, budget_s / 2))
        self._server.stop_accepting()
        self._worker.stop()
        self._watch.stop()
        self._rebuild.stop()
        self._recordings.ask_to_stop()
        late = [] if self._server.wait_idle(deadline.at_s) else ["connections"]
        for thread in self._threads:
            thread.join(deadline.left())
            if thread.is_alive():
                late.append(thread.name)
        late += self._recordings.stop(deadline)
        if late:
            self._log.warn("stop budget exhausted", what=late)
        else:
            self._server.close()
            self.close()
        self._log.info("service stopped", **self._told())
        return not late

    def close(self) -> None:
        """Close the files; only when nothing is at work any more."""
        self._front.refused.keep(at_once=True)
        self._rebuild.close()
        self._mart.close()
        self._journal.close()

    def _told(self) -> dict[str, object]:
        listen = self._settings.listen._replace(port=self._server.port)
        return {"version": VERSION, "listen": str(listen), "data": str(self._settings.data)}

    def _learn(self) -> None:
        try:
            found = learn(self._journal, self._mart, self._clock)
        except Damaged:
            if self._mart.damage is None:
                raise  # then it is the journal
            found = Learned()  # the mart will be made of everything there is
        if found.rebuild is not None:
            self._rebuild.due(found.rebuild)
        if found.returned:
            self._log.info("deliveries returned", coverage=COVERAGE, deliveries=found.returned)

    # ---- the parts

    def _wake(self) -> None:
        self._worker.wake()

    def _before_pass(self) -> None:
        self._heed_exchange()
        self._mending.mend()
        self._intake.settle_owed()
        self._rebuild.begin_pass()
        self._front.refused.keep()

    def _heed_exchange(self) -> None:
        """Rows that are written to a file without a name are gone with this process. Every body
        is in the archive, so that the next start writes them anew."""
        if identity(self._home.journal) != self._journal_was:
            self._alarm.of_journal(
                Damaged(
                    f"{self._home.journal} was deleted or replaced while it was open; stop the"
                    " service, put it back if you have it, and start the service again, which"
                    " writes what is missing in it from the archive"
                )
            )

    def _on_damage(self, damage: MartDamaged) -> None:
        self._mart.suspect(str(damage))

    def _make_server(self) -> Server:
        settings = self._settings
        ingest = Ingest(
            self._archive,
            self._intake,
            wake=self._worker.wake,
            log=self._log,
            clock=self._clock,
            max_body=settings.max_body,
            min_free=self._ground.min_free,
            tell=self._alarm.of_files,
        )
        imports = ImportDoor(
            self._archive,
            self._journal,
            self._intake,
            wake=self._worker.wake,
            log=self._log,
            journal_path=Home(settings.data).journal,
        )
        gauges = Gauges(self._journal, self._mart, self._clock, lambda: self._worker.state)
        gauges.register(self._registry)
        parts = Parts(
            mart=self._mart,
            journal=self._journal,
            archive=self._archive,
            clock=self._clock,
            settings=settings,
            worker_state=lambda: self._worker.state,
            rebuild_state=lambda: self._rebuild.state,
            ingest=ingest,
            imports=imports,
            metrics=self._registry.text,
            login=self._front.door.login,
            logout=self._front.door.logout,
            refusals=self._front.refused.latest,
            ingest_token=lambda: self._tokens.show(INGEST),
            recordings_state=self._recordings.told,
            spoken=self._desk,
            channels=channels(settings.notify),
            turns=Turns(AT_ONCE, settings.write_timeout / 2),
        )
        spoken = voice.routes(self._desk, settings, min_free=self._ground.min_free)
        try:
            return open_server(
                settings,
                self._front,
                (*routes(parts), *spoken, *pages.routes(parts)),
                self._observe,
                log=self._log,
                clock=self._clock,
            )
        except OSError as error:
            raise NotListening(f"listen {settings.listen}: {error.strerror}") from error

    def _observe(self, event: Event) -> None:
        self._meters.answered(event.path, event.status, event.duration_s)
        self._front.refused.note(event)
        if event.status >= 400 and event.path == "/ingest":
            self._watch.refused(event.status)
            self._log.warn(
                "delivery refused", status=event.status, reason=event.reason, remote=event.remote
            )
