"""All that stands behind the door: what folds, watches, rebuilds, recognises, answers."""

from __future__ import annotations

import threading

from healthlog import voice
from healthlog.accept import Intake
from healthlog.base.held import Turns
from healthlog.base.runtime import Deadline, supervised
from healthlog.base.web import Route
from healthlog.builder import Build, Process
from healthlog.fold import MartDamaged
from healthlog.gauges import Gauges
from healthlog.hall import Hall
from healthlog.imports.door import ImportDoor
from healthlog.learning import Learned
from healthlog.notices.channels import channels
from healthlog.parts import AT_ONCE, Parts
from healthlog.routes import routes
from healthlog.tokens import INGEST
from healthlog.web import pages
from healthlog.wiring import Hooks, make_rebuild, make_watch, make_worker


class Rooms:
    """Made, then prepared, then started; each once. BadSetting for settings that can't work."""

    def __init__(self, hall: Hall, build: Build | None = None) -> None:
        ground = hall.ground
        self._hall = hall
        self._ground = ground
        self._rebuild = make_rebuild(
            ground, hall.mending, build or Process(ground.settings), self.wake
        )
        self.watch = make_watch(ground, hall.refusals)
        self.recordings = voice.recordings(
            ground.settings,
            ground.journal,
            clock=ground.clock,
            log=ground.log,
            registry=hall.registry,
            min_free=ground.min_free,
        )
        self._worker = make_worker(
            ground,
            Hooks(self._before_pass, self._on_damage, self._rebuild.step, hall.meters.judged),
        )
        self._threads: list[threading.Thread] = []

    def prepare(self, intake: Intake, learned: Learned) -> tuple[Route, ...]:
        """Put in order what an earlier run left, before any recording is taken in; the addresses of
        what is answered here."""
        if learned.rebuild is not None:
            self._rebuild.due(learned.rebuild)
        self.recordings.prepare()
        return self._routes(intake)

    def start(self) -> None:
        """Begin to work."""
        for name, run in (("worker", self._worker.run), ("watch", self.watch.run)):
            thread = supervised(name, run, self._ground.log, lambda: None)
            thread.start()
            self._threads.append(thread)
        self.recordings.start()

    def wake(self) -> None:
        """There may be something to fold. For any thread."""
        self._worker.wake()

    def ask_to_stop(self) -> None:
        """Begin to stop."""
        self._worker.stop()
        self.watch.stop()
        self._rebuild.stop()
        self.recordings.ask_to_stop()

    def stop(self, deadline: Deadline) -> list[str]:
        """Stop by then; the names of what is still at work."""
        late = []
        for thread in self._threads:
            thread.join(deadline.left())
            if thread.is_alive():
                late.append(thread.name)
        return late + self.recordings.stop(deadline)

    def close(self) -> None:
        """Only when nothing is at work any more."""
        self._rebuild.close()

    def _before_pass(self) -> None:
        self._hall.look()
        self._rebuild.begin_pass()

    def _on_damage(self, damage: MartDamaged) -> None:
        self._ground.mart.suspect(str(damage))

    def _routes(self, intake: Intake) -> tuple[Route, ...]:
        hall, ground = self._hall, self._ground
        settings = ground.settings
        desk = voice.desk(self.recordings, settings, clock=ground.clock, mark=hall.mark)
        imports = ImportDoor(
            ground.archive,
            ground.journal,
            intake,
            wake=self.wake,
            log=ground.log,
            mark=hall.mark,
        )
        gauges = Gauges(ground.journal, ground.mart, ground.clock, lambda: self._worker.state)
        gauges.register(hall.registry)
        parts = Parts(
            mart=ground.mart,
            journal=ground.journal,
            archive=ground.archive,
            clock=ground.clock,
            settings=settings,
            worker_state=lambda: self._worker.state,
            rebuild_state=lambda: self._rebuild.state,
            imports=imports,
            metrics=hall.registry.text,
            login=hall.front.door.login,
            logout=hall.front.door.logout,
            refusals=hall.front.refused.latest,
            ingest_token=lambda: hall.tokens.show(INGEST),
            recordings_state=self.recordings.told,
            spoken=desk,
            channels=channels(settings.notify),
            turns=Turns(AT_ONCE, settings.write_timeout / 2),
        )
        spoken = voice.routes(desk, settings, min_free=ground.min_free)
        return (*routes(parts), *spoken, *pages.routes(parts))
