"""Workers that fail, lose their claims and die at random, while a person edits."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from healthlog.transcriber import attempts
from healthlog.transcriber.cancel import Cancel
from healthlog.transcriber.edits import edit
from healthlog.transcriber.failures import Ambiguous, Retry
from healthlog.transcriber.outcomes import Reached
from healthlog.transcriber.providers.base import Job, NotYet, Parameters
from healthlog.transcriber.rows import Recording
from healthlog.transcriber.steps.base import Hold, Moved, Result, Step
from healthlog.transcriber.transcript import Transcript
from tests.support.clock import FakeClock
from tests.support.patience import PATIENCE_S
from tests.support.studio import SPOKEN, Recogniser, Studio, tone

THREADS = 8
LOST_LEASE_S = 3_000.0
PAID_TWICE = {"cost_accepted", "possible_double_payment"}


class Killed(BaseException):
    """The process ends here: nothing after it is carried out."""


@dataclass
class Dice:
    """Accidents by chance; none once it is `calm`."""

    seed: int
    clock: FakeClock
    calm: bool = False
    rolled: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)
        self._turn = threading.Lock()

    def chance(self, share: float) -> bool:
        with self._turn:
            return not self.calm and self._random.random() < share

    def accident(self) -> None:
        """Most often none."""
        if self.chance(0.04):
            self.rolled["killed"] += 1
            raise Killed
        if self.chance(0.05):
            self.rolled["failed"] += 1
            raise Retry("bad luck")
        if self.chance(0.02):
            self.rolled["mistake"] += 1
            raise ValueError(SPOKEN)
        if self.chance(0.04):
            self.rolled["lease lost"] += 1
            self.clock.advance(LOST_LEASE_S)


class Chaotic:
    """A step with accidents before and after its work."""

    def __init__(self, inner: Step, dice: Dice) -> None:
        self._inner = inner
        self._dice = dice

    @property
    def timeout_s(self) -> float:
        return self._inner.timeout_s

    @property
    def bounded_by(self) -> str:
        return self._inner.bounded_by

    def run(self, recording: Recording, hold: Hold) -> Result:
        self._dice.accident()
        result = self._inner.run(recording, hold)
        self._dice.accident()
        return result


class Toned:
    """The first step without ffmpeg: the audio is there already."""

    timeout_s, bounded_by = 1.0, ""

    def run(self, _recording: Recording, _hold: Hold) -> Result:
        return Moved(Reached("normalized", {"duration_ms": 10, "silent": 0}))


class Unreliable(Recogniser):
    """A recogniser that costs money, over a bad line."""

    def __init__(self, dice: Dice) -> None:
        super().__init__(name="far", paid=True)
        self._dice = dice
        self._turn = threading.Lock()

    def submit(self, job: Job, cancel: Cancel) -> str:
        self._dice.accident()
        with self._turn:
            self.jobs.append(job)
            operation = f"operation-{len(self.jobs)}"
        if self._dice.chance(0.01):
            raise Ambiguous("the line broke")
        if self._dice.chance(0.01):
            raise Killed
        return operation

    def find(self, key: str) -> str | None:
        raise Ambiguous("it keeps no list")

    def poll(self, operation: str, parameters: Parameters, cancel: Cancel) -> NotYet | Transcript:
        self._dice.accident()
        return NotYet() if self._dice.chance(0.3) else Transcript(SPOKEN)


def threads(count: int, work: Callable[[], None]) -> None:
    """The same in so many threads, to their ends."""
    failed: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - told by the test's own thread
            failed.append(error)

    running = [threading.Thread(target=run, daemon=True) for _ in range(count)]
    for one in running:
        one.start()
    for one in running:
        one.join(3 * PATIENCE_S)
        assert not one.is_alive()
    assert failed == []


def unfinished(studio: Studio) -> int:
    query = "SELECT count(*) FROM recording WHERE stage <> 'done' AND stopped_at_us IS NULL"
    [(count,)] = studio.rows(query)
    return int(count)


def carried_through(studio: Studio, most: int = 100_000) -> None:
    """Eight threads work until every recording is done or stopped; one that dies is replaced."""
    passes = iter(range(most))

    def work() -> None:
        for _ in passes:
            ran = None
            with suppress(Killed):
                ran = studio.step()
            if ran is None:
                if not unfinished(studio):
                    return
                # Whoever finds nothing to do lets the time pass that all wait for.
                studio.clock.advance(20)

    threads(THREADS, work)
    assert not unfinished(studio)


def edited_meanwhile(studio: Studio, posted: list[Recording], carry: Callable[[], None]) -> None:
    """A person edits every recording again and again while `carry` is at work."""
    over, rounds = threading.Event(), [0]

    def write() -> None:
        while not over.is_set():
            rounds[0] += 1
            for one in posted:
                edits = {"title": f"title {rounds[0]}", "topics": (one.recording_id,)}
                studio.write(partial(edit, recording_id=one.recording_id, changes=edits))

    person = threading.Thread(target=write, daemon=True)
    person.start()
    try:
        carry()
    finally:
        over.set()
        person.join(3 * PATIENCE_S)
    for one in posted:
        row = studio.row(one)
        assert (row.title, row.topics) == (f"title {rounds[0]}", (one.recording_id,))
        assert row.owner == one.owner


def resumed_to_the_end(studio: Studio, dice: Dice) -> int:
    """A person takes every stop off, in calm weather; how many there were."""
    dice.calm, count = True, 0
    query = "SELECT recording_id FROM recording WHERE stopped_at_us IS NOT NULL"
    # Also in calm weather a slow machine may lose a lease here, where time flies.
    while stopped := studio.rows(query):
        count += len(stopped)
        assert count < 10_000
        for (recording_id,) in stopped:
            assert studio.recordings.resumption.one(recording_id)
        carried_through(studio)
    assert studio.rows("SELECT 1 FROM recording WHERE stage <> 'done'") == []
    return count


def assert_lawful(studio: Studio, far: Recogniser, posted: list[Recording]) -> None:
    """Each stage was reached once, by one holder; each sender has one text, nobody paid twice
    unless the journal says so."""
    paid = Counter(job.key.rpartition(".")[0] for job in far.jobs)
    texts = Counter(to.message_id for to, text in studio.sender.replies if text == SPOKEN)
    for number, one in enumerate(posted):
        events = studio.events(one)
        moves = [event.stage for event in events if event.outcome == "moved"]
        assert moves == ["normalized", "submitted", "transcribed", "done"]
        named = sum(event.detail in PAID_TWICE for event in events)
        assert 1 <= paid[one.recording_id] <= 1 + named
        assert texts[number] == 1
        stops = sum(event.outcome == "stopped" for event in events)
        told = [text for to, text in studio.sender.replies if to.message_id == number]
        assert len(told) == 1 + stops
        made = studio.journal.read(partial(attempts.of, recording_id=one.recording_id))
        assert [attempt.ending for attempt in made].count("done") == 1
        assert studio.row(one).text == SPOKEN


def posted_to(studio: Studio, count: int) -> list[Recording]:
    """So many recordings of several owners, with audio for the recogniser beside them."""
    posted = [
        studio.message(message_id=number, owner=("ann", "bob", None)[number % 3])
        for number in range(count)
    ]
    for one in posted:
        tone(studio.recordings.places.normalised(one.recording_id), seconds=0.01)
    return posted
