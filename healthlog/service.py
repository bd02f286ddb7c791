"""The service: all parts wired, started in order, stopped in order."""

from __future__ import annotations

import threading

from healthlog.accept import Intake
from healthlog.adopt import Adoption, adopt
from healthlog.archive.store import Archive
from healthlog.base import migrate
from healthlog.base.clock import Clock
from healthlog.base.errors import Circumstance, Damaged
from healthlog.base.files import free_bytes, total_bytes
from healthlog.base.httpd import Limits, Server
from healthlog.base.log import Log
from healthlog.base.runtime import Deadline, supervised
from healthlog.base.web import App, Event
from healthlog.builder import Build, Process
from healthlog.config import Settings
from healthlog.databases import open_up_to_date
from healthlog.fold import Folder, MartDamaged
from healthlog.handlers import Parts
from healthlog.home import Home
from healthlog.imports.door import ImportDoor
from healthlog.ingest import Ingest, min_free
from healthlog.journal import outcomes, queue, rows
from healthlog.learning import Learned, learn
from healthlog.mart.store import MartStore
from healthlog.mending import Mending
from healthlog.model import COVERAGE, Delivery, Verdict
from healthlog.prefix import JournalPrefix
from healthlog.rebuild import Rebuild, Site
from healthlog.reindex import sweep
from healthlog.replay import Player, Stage
from healthlog.routes import routes
from healthlog.tokens import Tokens
from healthlog.version import VERSION
from healthlog.worker import Work, Worker

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
        home = Home(settings.data)
        self._tokens = Tokens(home.tokens, settings.ingest_token, settings.read_token)
        self._archive = Archive(settings.data)
        self._journal = open_up_to_date(home.journal, "journal", clock, settings.journal_mode)
        self._mart = MartStore(settings.data, clock, settings.journal_mode)
        self._mending = Mending(self._journal, self._mart, log)
        self._rebuild = self._make_rebuild(build or Process(settings))
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
        self._intake = self._make_intake(adoption)
        self._worker = self._make_worker()
        self._server = self._make_server()
        self._server.start()
        self._log.info("service started", **self._told())
        thread = supervised("worker", self._worker.run, self._log, lambda: None)
        thread.start()
        self._threads.append(thread)

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
        self._rebuild.stop()
        late = [] if self._server.wait_idle(deadline.at_s) else ["connections"]
        for thread in self._threads:
            thread.join(deadline.left())
            if thread.is_alive():
                late.append(thread.name)
        if late:
            self._log.warn("stop budget exhausted", what=late)
        else:
            self._server.close()
            self.close()
        self._log.info("service stopped", **self._told())
        return not late

    def close(self) -> None:
        """Close the files; only when nothing is at work any more."""
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

    def _make_rebuild(self, build: Build) -> Rebuild:
        settings = self._settings
        site = Site(
            journal=self._journal,
            mart=self._mart,
            archive=self._archive,
            mending=self._mending,
            build=build,
            wake=self._wake,
            room=lambda: free_bytes(settings.data) - self._min_free(),
        )
        return Rebuild(
            site,
            log=self._log,
            clock=self._clock,
            fold_timeout_s=settings.fold_timeout,
            journal_mode=settings.journal_mode,
        )

    def _wake(self) -> None:
        self._worker.wake()

    def _min_free(self) -> int:
        return min_free(total_bytes(self._settings.data))

    def _make_intake(self, adoption: Adoption) -> Intake:
        return Intake(
            self._archive,
            self._journal,
            clock=self._clock,
            log=self._log,
            last_stamp_us=adoption.last_stamp_us,
            newest_migration=max(
                migrate.newest_date(migrate.load(name)) for name in ("journal", "mart")
            ),
        )

    def _make_worker(self) -> Worker:
        settings, journal = self._settings, self._journal
        stage = Stage(
            find=self._find,
            read_body=self._archive.body,
            prefix=JournalPrefix(journal, self._archive.body),
            folder=Folder(self._mart, self._clock),
            keep=self._keep,
        )
        player = Player(
            stage, log=self._log, clock=self._clock, fold_timeout_s=settings.fold_timeout
        )
        work = Work(
            pending_page=lambda after, limit: journal.read(
                lambda c: queue.pending_page(c, after, limit)
            ),
            pending_count=lambda: journal.read(queue.pending_count),
            before_pass=self._before_pass,
            on_damage=self._on_damage,
            between=self._rebuild.step,
        )
        return Worker(
            work,
            player,
            log=self._log,
            clock=self._clock,
            tick_s=settings.tick,
            lag_warning_s=settings.lag_warning,
        )

    def _before_pass(self) -> None:
        self._mending.mend()
        self._intake.settle_owed()
        self._rebuild.begin_pass()

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
            min_free=self._min_free(),
        )
        imports = ImportDoor(
            self._archive,
            self._journal,
            self._intake,
            wake=self._worker.wake,
            log=self._log,
            journal_path=Home(settings.data).journal,
        )
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
        )
        app = App(routes(parts), self._tokens.authorized, self._observe)
        limits = Limits(
            header_timeout_s=settings.header_timeout,
            idle_timeout_s=settings.idle_timeout,
            write_timeout_s=settings.write_timeout,
            max_connections=settings.max_connections,
        )
        try:
            return Server(settings.listen, app, limits, self._log, self._clock)
        except OSError as error:
            raise NotListening(f"listen {settings.listen}: {error.strerror}") from error

    def _find(self, delivery_id: str) -> Delivery | None:
        entry = self._journal.read(lambda c: rows.get(c, delivery_id))
        return None if entry is None else entry.delivery

    def _keep(self, delivery_id: str, verdict: Verdict) -> None:
        self._journal.write(lambda c: outcomes.write_verdict(c, delivery_id, verdict))

    def _observe(self, event: Event) -> None:
        if event.status >= 400 and event.path == "/ingest":
            self._log.warn(
                "delivery refused", status=event.status, reason=event.reason, remote=event.remote
            )
