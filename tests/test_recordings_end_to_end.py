"""Speech to text with the real programs, and what is told of it to nobody."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from healthlog.base import migrate
from healthlog.base.clock import SystemClock
from healthlog.base.db import Database
from healthlog.base.log import Log
from healthlog.base.metrics import Registry
from healthlog.base.runtime import Deadline
from healthlog.transcriber import attempts, rows
from healthlog.transcriber.providers.command import Command
from healthlog.transcriber.recordings import Recordings
from healthlog.transcriber.rows import Meta, Recording
from healthlog.transcriber.settings import Settings
from healthlog.transcriber.transcript import Transcript, written
from tests.support.installed import needs_ffmpeg, needs_speech
from tests.support.patience import PATIENCE_S
from tests.support.serviced import Following
from tests.support.speech import SENTENCE, spoken, word_error_rate, words
from tests.support.studio import CHAT, Sender, tone

# Recognising is hard work, and everything else comes before it.
LONG_S = 180.0
QUICK = Settings(workers=2, poll_delay=0.1, command=Command(parallel=2))


@dataclass
class Real:
    """The recordings with the clock of this machine, at work."""

    recordings: Recordings
    stream: Following
    registry: Registry
    sender: Sender

    def row(self, recording_id: str) -> Recording:
        found = self.recordings.store.read(lambda c: rows.get(c, recording_id))
        assert found is not None
        return found

    def asked(self, query: str) -> list[object]:
        return self.recordings.store.read(lambda c: c.execute(query).fetchall())

    def heard(self, recording_id: str) -> Transcript:
        found = self.recordings.store.read(lambda c: attempts.heard(c, recording_id))
        assert found is not None
        return found

    def written(self) -> str:
        """Everything that was told to anybody but the owner and the sender: log, metrics, events,
        the columns of the queue."""
        queries = (
            "SELECT * FROM recording_event",
            "SELECT recording_id, last_error, last_outcome, stop_error, stage FROM recording",
            "SELECT recording_id, provider, parameters, operation, ending FROM recognition",
        )
        told = [self.asked(query) for query in queries]
        return f"{self.stream.getvalue()} {self.registry.text()} {told}".lower()


@contextmanager
def at_work(data: Path, settings: Settings) -> Iterator[Real]:
    clock, stream, registry, sender = SystemClock(), Following(), Registry(), Sender()
    stream.patience_s = LONG_S
    journal = Database(data / "journal.db", clock=clock)
    migrate.up(journal, migrate.load("journal"), clock)
    log = Log(stream, clock, "DEBUG")
    recordings = Recordings(data, journal, settings, clock=clock, log=log, registry=registry)
    recordings.entrances[rows.TELEGRAM] = sender
    recordings.prepare()
    recordings.start()
    try:
        yield Real(recordings, stream, registry, sender)
    finally:
        assert recordings.stop(Deadline.after(clock, PATIENCE_S)) == []
        journal.close()


@needs_speech
@pytest.mark.scenario("recordings", "Spoken sentence becomes text by ffmpeg and PocketSphinx")
@pytest.mark.scenario("recordings", "Nothing of the text or the sender is told to anybody else")
def test_a_spoken_sentence_becomes_text(data: Path, tmp_path: Path) -> None:
    with at_work(data, QUICK) as real:
        http = Meta(rows.HTTP, "m4a", "audio/mp4", title="Errands", owner="hildegard")
        chat = Meta(rows.TELEGRAM, "oga", "audio/ogg", chat_id=987_654_321, message_id=77)
        taken = [
            real.recordings.intake.take([spoken(tmp_path, form)], meta)
            for form, meta in (("m4a", http), ("oga", chat))
        ]
        for one in taken:
            moved = real.stream.until(
                "recording moved", recording_id=one.recording_id, stage="done"
            )
            assert moved["outcome"] == "moved"
        for one in taken:
            row = real.row(one.recording_id)
            assert row.text is not None
            assert word_error_rate(SENTENCE, row.text) <= 0.1
            assert row.duration_ms == pytest.approx(7_000, abs=400)
            heard = real.heard(one.recording_id)
            assert len(heard.words) >= 20
            assert heard.confidence is not None
            assert " --> " in written(heard, "srt", row.duration_ms or 0)
        [(recipient, text)] = real.sender.replies
        assert (recipient.chat_id, recipient.message_id) == (987_654_321, 77)
        assert word_error_rate(SENTENCE, text) <= 0.1
        assert sorted(p.name for p in real.recordings.places.work.iterdir()) == ["operations"]
        assert list(real.recordings.places.operations.iterdir()) == []
        assert_private(real, SENTENCE, "hildegard", "errands", "987654321")


def assert_private(real: Real, text: str, *more: str) -> None:
    """None of the longer words stands anywhere in what was written."""
    told = set(words(real.written()))
    # "call" and the like are words of the program too.
    secret = {word for word in words(text) if len(word) > 4} | set(more)
    assert secret & told == set()
    assert len(secret) > 4


LOUD = "echo shibboleth marmalade; echo shibboleth marmalade >&2; exit 3"


@needs_ffmpeg
@pytest.mark.scenario("recordings", "Nothing of the text or the sender is told to anybody else")
def test_a_program_that_fails_aloud_is_not_quoted(data: Path, tmp_path: Path) -> None:
    command = Command(argv=("sh", "-c", LOUD))
    settings = replace(QUICK, command=command, max_attempts=1)
    tone(tmp_path / "tone.wav")
    with at_work(data, settings) as real:
        meta = Meta(rows.TELEGRAM, "wav", chat_id=CHAT, owner="hildegard")
        taken = real.recordings.intake.take([(tmp_path / "tone.wav").read_bytes()], meta)
        real.stream.until("recording stopped")
        row = real.row(taken.recording_id)
        assert (row.stop_reason, row.stop_error) == (
            "attempts", "the program ended with status 3",
        )  # fmt: skip
        assert_private(real, "shibboleth marmalade", "hildegard", "title", "4711", "nobody")


def test_the_measure_of_errors() -> None:
    assert word_error_rate("Bread, milk.", "bread milk") == 0
    assert word_error_rate("a b c d", "a x c") == 0.5
    assert word_error_rate("a b", "a b c") == 0.5
    assert word_error_rate("a b", "") == 1
