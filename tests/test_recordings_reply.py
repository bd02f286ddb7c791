"""Answers to the senders: after the commit, by the one holder, never a step's failure."""

from __future__ import annotations

from pathlib import Path

import pytest

from healthlog.transcriber.reply import REFUSED, UNREACHABLE, Recipient, Undelivered
from healthlog.transcriber.rows import Recording
from healthlog.transcriber.stop import TOLD
from tests.support.clock import FakeClock
from tests.support.studio import CHAT, SPOKEN, Sender, Studio, open_studio


def undelivered(studio: Studio, reason: str) -> float:
    return studio.counted("healthlog_undelivered_replies_total", reason=reason)


def finished(studio: Studio, posted: Recording) -> Recording:
    """The recording after its last step, which has succeeded."""
    studio.at(posted, "transcribed")
    assert studio.outcome() == "moved"
    row = studio.row(posted)
    assert (row.stage, row.attempts, row.stopped_at_us) == ("done", 0, None)
    assert studio.lines("recording step failed") == []
    assert studio.step() is None
    return row


def test_the_sender_gets_the_text(studio: Studio) -> None:
    finished(studio, studio.message(message_id=77, thread_id=3))
    assert studio.sender.replies == [(Recipient(CHAT, 77, 3), SPOKEN)]


@pytest.mark.scenario("recordings", "Entrance of the sender is down")
def test_the_entrance_of_the_sender_is_down(data: Path, clock: FakeClock) -> None:
    with open_studio(data, clock, down=True) as studio:
        posted = finished(studio, studio.message())
        [line] = studio.lines("reply undelivered")
        assert (line["level"], line["reason"]) == ("WARN", "input_down")
        assert line["recording_id"] == posted.recording_id
        assert line.keys() == {"time", "level", "msg", "recording_id", "reason"}
        assert undelivered(studio, "input_down") == 1
        assert SPOKEN not in studio.stream.getvalue()


@pytest.mark.scenario("recordings", "Recipient of a recording is not named")
def test_the_recipient_is_not_named(studio: Studio) -> None:
    posted = finished(studio, studio.message(chat_id=None))
    [line] = studio.lines("reply undelivered")
    assert (line["level"], line["reason"]) == ("ERROR", "no_recipient")
    assert line["recording_id"] == posted.recording_id
    assert undelivered(studio, "no_recipient") == 1


@pytest.mark.scenario("recordings", "Word of a stop doesn't arrive")
def test_the_word_of_a_stop_does_not_arrive(data: Path, clock: FakeClock) -> None:
    with open_studio(data, clock, down=True) as studio:
        posted = studio.at(studio.message(), "uploaded", attempts=5)
        assert studio.outcome() == "stopped"
        assert studio.row(posted).stop_reason == "attempts"
        [line] = studio.lines("reply undelivered")
        assert (line["recording_id"], line["reason"]) == (posted.recording_id, "input_down")


@pytest.mark.scenario("recordings", "Nobody is to be answered, for the recording came by HTTP")
def test_nobody_is_to_be_answered(data: Path, clock: FakeClock) -> None:
    with open_studio(data, clock, down=True) as studio:
        finished(studio, studio.post())
        assert studio.lines("reply undelivered") == []
        assert "healthlog_undelivered_replies_total{" not in studio.registry.text()


@pytest.mark.scenario("recordings", "Sender can't be reached, or won't have it")
@pytest.mark.parametrize(
    ("failing", "reason"),
    [
        (Undelivered(REFUSED), "refused"),
        (Undelivered(UNREACHABLE), "unreachable"),
        (OSError("a mistake in the entrance"), "unreachable"),
    ],
)
def test_a_sender_can_not_be_reached(
    data: Path, clock: FakeClock, failing: Exception, reason: str
) -> None:
    sender = Sender()
    sender.failing = failing
    with open_studio(data, clock, sender=sender) as studio:
        finished(studio, studio.message())
        [line] = studio.lines("reply undelivered")
        assert (line["level"], line["reason"]) == ("WARN", reason)
        assert undelivered(studio, reason) == 1


@pytest.mark.scenario("recordings", "Answer comes after the commit")
def test_an_answer_comes_after_the_commit(data: Path, clock: FakeClock) -> None:
    seen: list[tuple[str, int | None]] = []

    class Looking(Sender):
        def reply(self, recipient: Recipient, text: str) -> None:
            [row] = studio.rows("SELECT stage, stopped_at_us IS NULL FROM recording")
            seen.append(row)

    with open_studio(data, clock, sender=Looking()) as studio:
        posted = studio.at(studio.message(), "uploaded", attempts=9)
        studio.step()
        assert seen == [("uploaded", 0)]
        studio.recordings.resumption.one(posted.recording_id)
        studio.steps()
        assert seen[1:] == [("done", 1)]


def test_each_stop_has_its_words() -> None:
    assert len(set(TOLD.values())) == len(TOLD)
