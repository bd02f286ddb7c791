"""A data directory with all that turns recordings into text, its clock in the test's hands."""

from __future__ import annotations

import io
import json
import sqlite3
import wave
from array import array
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from healthlog.base.clock import SystemClock
from healthlog.base.db import Database
from healthlog.base.log import Log
from healthlog.base.metrics import Registry
from healthlog.base.runtime import Deadline
from healthlog.transcriber import events, rows
from healthlog.transcriber.cancel import Cancel
from healthlog.transcriber.events import Event
from healthlog.transcriber.outcomes import Reached
from healthlog.transcriber.pipeline import Ran
from healthlog.transcriber.providers.base import Job, NotYet, Parameters, Provider
from healthlog.transcriber.recordings import Recordings
from healthlog.transcriber.reply import Recipient
from healthlog.transcriber.rows import Meta, Recording
from healthlog.transcriber.settings import Settings
from healthlog.transcriber.stages import STAGES
from healthlog.transcriber.steps.base import Hold, Moved, Result, Step
from healthlog.transcriber.transcript import Transcript
from tests.support.accepting import open_journal
from tests.support.clock import FakeClock
from tests.support.patience import PATIENCE_S

T = TypeVar("T")

SPOKEN = "the quick brown fox is called gustav"
"""What the recogniser of the tests hears. None of it may stand in a log, an event, a metric."""

CHAT = 4_711


class Sender:
    """The entrance of Telegram, as far as answers go: keeps them, or fails as `failing` says."""

    def __init__(self) -> None:
        self.replies: list[tuple[Recipient, str]] = []
        self.failing: Exception | None = None

    def reply(self, recipient: Recipient, text: str) -> None:
        if self.failing is not None:
            raise self.failing
        self.replies.append((recipient, text))

    @property
    def told(self) -> list[str]:
        return [text for _, text in self.replies]


class Scripted:
    """A step that goes on to the next stage, or does what `act` has it do."""

    timeout_s = 1.0
    bounded_by = "recordings_tests"

    def __init__(self, to: str, act: Callable[[Recording, Hold], Result | None]) -> None:
        self.to = to
        self.act = act
        self.runs: list[str] = []

    def run(self, recording: Recording, hold: Hold) -> Result:
        self.runs.append(recording.recording_id)
        result = self.act(recording, hold)
        reply = SPOKEN if self.to == "done" else None
        return result or Moved(Reached(self.to), reply=reply)


def on(_recording: Recording, _hold: Hold) -> None:
    """What a step does that simply goes on."""


class Recogniser:
    """A recogniser far away, which may cost money: it keeps its operations whatever crashes here.

    `submitting` is called within each submission, with its number from 1, before anything is begun
    there; `answers` are given one after the other, the last for ever.
    """

    bounded_by = ""

    def __init__(self, *, name: str = "far", paid: bool = True) -> None:
        self.name = name
        self.paid = paid
        self.timeout_s = self.ask_timeout_s = 10.0
        self.jobs: list[Job] = []
        self.polled: list[str] = []
        self.forgotten: list[str] = []
        self.said: dict[str, str] = {"model": "general"}
        self.submitting: Callable[[int], object] = lambda _number: None
        self.submitted: Callable[[int], object] = lambda _number: None
        self.finding: Callable[[str], str | None] | None = None
        self.answers: list[NotYet | Transcript | Exception] = [Transcript(SPOKEN, language="en")]

    def parameters(self) -> Parameters:
        return dict(self.said)

    def missing(self) -> tuple[str, ...]:
        return ()

    def submit(self, job: Job, cancel: Cancel) -> str:
        self.submitting(len(self.jobs) + 1)
        self.jobs.append(job)
        self.submitted(len(self.jobs))
        return f"operation-{len(self.jobs)}"

    def find(self, key: str) -> str | None:
        if self.finding is None:
            raise AssertionError("nobody should have asked")
        return self.finding(key)

    def poll(self, operation: str, parameters: Parameters, cancel: Cancel) -> NotYet | Transcript:
        self.polled.append(operation)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def forget(self, operation: str) -> None:
        self.forgotten.append(operation)

    def stop(self, budget_s: float) -> None:
        """Nothing of it is on this machine."""


@dataclass
class Studio:
    """The whole pipeline over one data directory; `step` plays the worker."""

    data: Path
    clock: FakeClock
    journal: Database
    stream: io.StringIO
    log: Log
    registry: Registry
    recordings: Recordings
    sender: Sender
    cancel: Cancel = field(default_factory=Cancel)

    # Recordings in

    def post(self, content: bytes = b"audio", **meta: Any) -> Recording:
        """A recording from HTTP; the clock goes on by a second."""
        plain: dict[str, Any] = {"source": rows.HTTP, "extension": "m4a"}
        taken = self.recordings.intake.take([content], Meta(**{**plain, **meta}))
        self.clock.advance(1)
        return taken

    def message(self, content: bytes = b"audio", **meta: Any) -> Recording:
        """A recording from Telegram."""
        plain = {"source": rows.TELEGRAM, "extension": "oga", "chat_id": CHAT, "message_id": 1}
        return self.post(content, **{**plain, **meta})

    def at(self, recording: Recording, stage: str, **columns: object) -> Recording:
        """The same at another stage, as if it had just come there."""
        columns = {"stage": stage, "stage_since_us": self.clock.wall_us, **columns}
        sets = ", ".join(f"{name} = ?" for name in columns)
        self.write(
            lambda c: (
                c.execute(
                    f"UPDATE recording SET {sets} WHERE recording_id = ?",
                    (*columns.values(), recording.recording_id),
                ).rowcount
            )
        )
        return self.row(recording)

    def normalised(self, recording: Recording, *, seconds: float = 1.0) -> Recording:
        """The same with audio for the recogniser, made without ffmpeg."""
        path = self.recordings.places.normalised(recording.recording_id)
        tone(path, seconds=seconds)
        return self.at(recording, "normalized", duration_ms=round(seconds * 1000), silent=0)

    # Work

    def step(self) -> Ran | None:
        """One pass of a worker."""
        return self.recordings.pipeline.run_once(self.cancel)

    def steps(self, most: int = 50) -> list[Ran]:
        """Passes until there is nothing to do."""
        done: list[Ran] = []
        while len(done) < most and (ran := self.step()) is not None:
            done.append(ran)
        return done

    def due(self) -> None:
        """Time passes until the next recording may be claimed."""
        query = (
            "SELECT min(max(due_at_us, coalesce(claim_until_us, 0))) FROM recording"
            " WHERE stopped_at_us IS NULL AND stage <> 'done'"
        )
        [(due_us,)] = self.rows(query)
        assert due_us is not None
        self.clock.advance(max(0, due_us - self.clock.wall_us) / 1_000_000)

    def outcome(self) -> str:
        """That of the next pass, "" when there is nothing to do."""
        ran = self.step()
        return "" if ran is None else ran.outcome

    def later(self) -> str:
        """That of the next pass that finds something to do, once it may."""
        self.due()
        return self.outcome()

    # Looking

    def row(self, recording: Recording) -> Recording:
        found = self.journal.read(lambda c: rows.get(c, recording.recording_id))
        assert found is not None
        return found

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        return self.journal.read(lambda c: c.execute(query, values).fetchall())

    def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return self.journal.write(work)

    def events(self, recording: Recording) -> list[Event]:
        return self.journal.read(lambda c: events.of(c, recording.recording_id))

    def lines(self, msg: str | None = None) -> list[dict[str, Any]]:
        """The log lines with that message."""
        said = [json.loads(line) for line in self.stream.getvalue().splitlines()]
        return [line for line in said if msg in {None, line["msg"]}]

    def counted(self, name: str, **labels: str) -> float:
        """The value of a metric under these labels, 0 where nothing was counted."""
        inside = ",".join(f'{label}="{value}"' for label, value in labels.items())
        start = f"{name}{{{inside}}} " if labels else f"{name} "
        found = [line for line in self.registry.text().splitlines() if line.startswith(start)]
        return float(found[0].removeprefix(start)) if found else 0.0

    def steps_counted(self, stage: str, outcome: str) -> float:
        return self.counted("healthlog_recording_steps_total", stage=stage, outcome=outcome)


@contextmanager
def open_studio(
    data: Path,
    clock: FakeClock,
    *,
    settings: Settings | None = None,
    providers: dict[str, Provider] | None = None,
    acts: Mapping[str, Callable[[Recording, Hold], Result | None]] | None = None,
    sender: Sender | None = None,
    down: bool = False,
) -> Iterator[Studio]:
    """An empty studio. `acts` play the steps of these names; with none given, and no `providers`,
    all steps only go on. `down`: the entrance of Telegram is."""
    if acts is None and providers is None:
        acts = {stage.step: on for stage in STAGES if stage.step is not None}
    steps = scripted(acts or {})
    settings = settings or Settings()
    if providers is not None:
        settings = replace(settings, provider=next(iter(providers)))
    with open_journal(data, clock) as journal:
        stream, registry, entrance = io.StringIO(), Registry(), sender or Sender()
        log = Log(stream, clock, "DEBUG")
        recordings = Recordings(
            data,
            journal,
            settings,
            clock=clock,
            log=log,
            registry=registry,
            providers=providers,
            steps=steps,
        )
        if not down:
            recordings.entrances[rows.TELEGRAM] = entrance
        recordings.prepare()
        try:
            yield Studio(data, clock, journal, stream, log, registry, recordings, entrance)
        finally:
            recordings.stop(Deadline.after(SystemClock(), PATIENCE_S))


def scripted(
    acts: Mapping[str, Callable[[Recording, Hold], Result | None]],
) -> dict[str, Step]:
    """Steps of these names, each to the stage that usually follows."""
    by_step = {stage.step: stage for stage in STAGES if stage.step is not None}
    return {name: Scripted(by_step[name].next or "", act) for name, act in acts.items()}


def tone(path: Path, *, seconds: float = 1.0, height: int = 8_000) -> None:
    """A WAV file as recognisers take them, with a tone of that height, 0 for silence."""
    path.parent.mkdir(parents=True, exist_ok=True)
    period = array("h", [height] * 20 + [-height] * 20)
    frames = round(16_000 * seconds)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16_000)
        file.writeframes((period * (frames // 40 + 1))[:frames].tobytes())


def raising(error: Exception) -> Callable[[Recording, Hold], Result | None]:
    """What a step does that fails so."""

    def act(_recording: Recording, _hold: Hold) -> Result | None:
        raise error

    return act
