"""The service: all parts wired, started in order, stopped in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from healthlog import entry
from healthlog.accept import Intake
from healthlog.adopt import adopt
from healthlog.alarm import Alarm
from healthlog.archive.store import Archive
from healthlog.base.clock import Clock
from healthlog.base.errors import Circumstance, Damaged
from healthlog.base.httpd import Server
from healthlog.base.log import Log
from healthlog.base.metrics import Registry
from healthlog.base.runtime import Deadline
from healthlog.base.web import App, Event
from healthlog.config import Settings
from healthlog.databases import open_up_to_date
from healthlog.front import app_of, certificates_of, open_front, open_server
from healthlog.ground import Ground, make_intake
from healthlog.hall import Hall
from healthlog.home import Home
from healthlog.imports.door import journal_mark
from healthlog.ingest import Ingest
from healthlog.learning import Learned, learn
from healthlog.mart.store import MartStore, identity, sweep
from healthlog.mending import Mending
from healthlog.meters import Meters
from healthlog.model import COVERAGE
from healthlog.notices.refusals import LastRefusals
from healthlog.recording_settings import usual
from healthlog.tokens import Tokens
from healthlog.version import VERSION

if TYPE_CHECKING:
    from healthlog.builder import Build
    from healthlog.rooms import Rooms

T = TypeVar("T")

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
        self._build = build
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
        self._mark = journal_mark(home.journal)
        self._mart = MartStore(settings.data, clock, mode, tell=self._alarm.of_files)
        self._front = open_front(
            settings, self._tokens, self._journal, certificates, log=log, clock=clock
        )
        self._mending = Mending(self._journal, self._mart, log)
        self._ground = Ground(settings, self._archive, self._journal, self._mart, log, clock)
        self._registry = Registry()
        self._meters = Meters(self._registry)
        self._refusals = LastRefusals(clock)
        self._intake: Intake | None = None
        self._app: App | None = None
        self._server: Server | None = None
        self._rooms: Rooms | None = None
        # What may turn out not to work is made at once. All else takes longer to load than the
        # phone should have to wait for, and is made behind the open door.
        if not usual(settings.recordings):
            try:
                self._furnish()
            except BaseException:
                self._close()
                raise

    def start(self) -> None:
        """Bring archive, journal and mart together, then open the door, then fold. What raises is
        to be followed by `give_up`."""
        sweep(self._mart.path)
        self._mart.open()
        adoption = adopt(self._archive, self._journal, self._mending.start_over)
        if adoption.adopted:
            self._log.info("bodies adopted", bodies=len(adoption.adopted))
        self._mending.mend()
        learned = self._learn()
        intake = self._intake = make_intake(self._ground, adoption)
        first = entry.routes(self._settings, self._ingest(intake))
        app = self._app = app_of(self._front, first, self._observe)
        self._open(app)
        self._log.info("service started", **self._told())
        rooms = self._rooms or self._furnish()
        app.add(rooms.prepare(intake, learned))
        rooms.start()

    @property
    def port(self) -> int:
        return _there(self._server).port

    @property
    def rooms(self) -> Rooms:
        """What stands behind the door."""
        return _there(self._rooms)

    def stop(self) -> bool:
        """Stop within the budget: the door first, then the worker, then the files. False when
        something is still at work, so that the files had to stay open."""
        late = self._stopped()
        if late:
            self._log.warn("stop budget exhausted", what=late)
        self._log.info("service stopped", **self._told())
        return not late

    def give_up(self) -> None:
        """After a start that failed, whatever of it was done."""
        if self._app is not None:
            self._app.give_up()
        self._stopped()

    def _stopped(self) -> list[str]:
        """What is still at work when the budget has been used up; the files are closed if none."""
        budget_s = self._settings.stop_budget
        deadline = Deadline.after(self._clock, budget_s - min(_MARGIN_S, budget_s / 2))
        server, rooms = self._server, self._rooms
        late = []
        if server is not None:
            server.stop_accepting()
        if rooms is not None:
            rooms.ask_to_stop()
        if server is not None and not server.wait_idle(deadline.at_s):
            late.append("connections")
        if rooms is not None:
            late += rooms.stop(deadline)
        if not late:
            self._close()
        return late

    def _close(self) -> None:
        if self._server is not None:
            self._server.close()
        self._front.refused.keep(at_once=True)
        if self._rooms is not None:
            self._rooms.close()
        self._mart.close()
        self._journal.close()

    def _told(self) -> dict[str, object]:
        listen = self._settings.listen._replace(port=self.port)
        return {"version": VERSION, "listen": str(listen), "data": str(self._settings.data)}

    # ---- the parts

    def _furnish(self) -> Rooms:
        from healthlog.rooms import Rooms  # noqa: PLC0415

        hall = Hall(
            ground=self._ground,
            front=self._front,
            tokens=self._tokens,
            mark=self._mark,
            mending=self._mending,
            look=self._look,
            registry=self._registry,
            meters=self._meters,
            refusals=self._refusals,
        )
        self._rooms = Rooms(hall, self._build)
        return self._rooms

    def _learn(self) -> Learned:
        try:
            found = learn(self._journal, self._mart, self._clock)
        except Damaged:
            if self._mart.damage is None:
                raise  # then it is the journal
            found = Learned()  # the mart will be made of everything there is
        if found.returned:
            self._log.info("deliveries returned", coverage=COVERAGE, deliveries=found.returned)
        return found

    def _wake(self) -> None:
        # What comes before the worker is there is met by its first pass.
        if self._rooms is not None:
            self._rooms.wake()

    def _look(self) -> None:
        """What there is to see to before each pass of the worker."""
        self._heed_exchange()
        self._mending.mend()
        _there(self._intake).settle_owed()
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

    def _ingest(self, intake: Intake) -> Ingest:
        return Ingest(
            self._archive,
            intake,
            wake=self._wake,
            log=self._log,
            clock=self._clock,
            max_body=self._settings.max_body,
            min_free=self._ground.min_free,
            tell=self._alarm.of_files,
        )

    def _open(self, app: App) -> None:
        settings = self._settings
        try:
            self._server = open_server(settings, self._front, app, log=self._log, clock=self._clock)
            self._server.start()
        except OSError as error:
            raise NotListening(f"listen {settings.listen}: {error.strerror}") from error

    def _observe(self, event: Event) -> None:
        self._meters.answered(event.path, event.status, event.duration_s)
        self._front.refused.note(event)
        if event.status >= 400 and event.path == entry.INGEST_PATH:
            self._refusals.note(event.status)
            self._log.warn(
                "delivery refused", status=event.status, reason=event.reason, remote=event.remote
            )


def _there(part: T | None) -> T:
    if part is None:
        raise ValueError("only of a service that was started")
    return part
