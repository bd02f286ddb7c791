"""The bot at work in its thread: what comes while it waits, how it stops, two of one token."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from healthlog.base.clock import SystemClock
from healthlog.base.metrics import Registry
from healthlog.base.runtime import Deadline
from healthlog.transcriber.reply import UNREACHABLE, Recipient, Undelivered
from healthlog.transcriber.telegram.bot import Bot
from tests.support.bot_api import BotApi, bot_api
from tests.support.bots import telegram
from tests.support.clock import FakeClock
from tests.support.patience import PATIENCE_S
from tests.support.studio import CHAT, Studio, open_studio


@pytest.fixture
def api() -> Iterator[BotApi]:
    """A Bot API that keeps questions for updates open."""
    with bot_api() as made:
        made.holding = True
        yield made


def made_at(api: BotApi, studio: Studio) -> Bot:
    return Bot(
        telegram(api),
        studio.recordings.intake,
        studio.journal,
        clock=SystemClock(),
        log=studio.log,
        registry=Registry(),
    )


@contextmanager
def running(bot: Bot) -> Iterator[Bot]:
    bot.start()
    try:
        yield bot
    finally:
        assert bot.stop(Deadline.after(SystemClock(), PATIENCE_S)) == []


@pytest.mark.scenario("telegram", "Voice message becomes a recording")
def test_what_comes_while_it_waits_is_taken(data: Path, clock: FakeClock, api: BotApi) -> None:
    with open_studio(data, clock, down=True) as studio, running(made_at(api, studio)) as bot:
        for number in range(1, 4):
            api.until(lambda n=number: len(api.called("getUpdates")) >= n)  # type: ignore[misc]
            api.voice(CHAT, bytes([number]))
            api.until(lambda: not api.updates)
        assert studio.rows("SELECT count(*) FROM recording") == [(3,)]
        assert bot.state.alive
        assert bot.state.receiving


@pytest.mark.scenario("telegram", "Stop cuts an open question")
def test_a_stop_cuts_an_open_question(data: Path, clock: FakeClock, api: BotApi) -> None:
    with open_studio(data, clock, down=True) as studio:
        bot = made_at(api, studio)
        with running(bot):
            api.until(lambda: bool(api.called("getUpdates")))
        assert not bot.state.alive
        assert not bot.state.receiving
        # Nobody lost his way: the stop is no trouble.
        assert [line["msg"] for line in studio.lines()] == []


@pytest.mark.scenario("telegram", "Stop in the middle of a file")
def test_a_stop_in_the_middle_of_a_file(data: Path, clock: FakeClock, api: BotApi) -> None:
    with open_studio(data, clock, down=True) as studio:
        bot = made_at(api, studio)
        api.voice(CHAT, b"x" * 500_000)
        api.before("file", bot.ask_to_stop)
        with running(bot):
            api.until(lambda: bool(api.called("file")))
        assert studio.rows("SELECT count(*) FROM recording") == [(0,)]
        assert studio.rows("SELECT count(*) FROM telegram_offset") == [(0,)]
        assert list(studio.recordings.places.incoming.iterdir()) == []
        with running(made_at(api, studio)):
            api.until(lambda: not api.updates)
        assert studio.rows("SELECT bytes FROM recording") == [(500_000,)]


def test_a_stop_cuts_an_answer_at_the_end(data: Path, clock: FakeClock, api: BotApi) -> None:
    with open_studio(data, clock, down=True) as studio:
        bot = made_at(api, studio)
        api.before("sendMessage", lambda: bot.stop(Deadline.after(SystemClock(), PATIENCE_S)))
        with pytest.raises(Undelivered) as caught:
            bot.answers.reply(Recipient(CHAT, None, None), "text")
        assert caught.value.reason == UNREACHABLE


@pytest.mark.scenario("telegram", "Two programs take the updates of one bot")
def test_two_of_one_token_are_told_of_each_other(data: Path, clock: FakeClock, api: BotApi) -> None:
    with open_studio(data, clock, down=True) as studio:
        first, second = (
            threading.Thread(target=made_at(api, studio).poller.poll_once) for _ in range(2)
        )
        first.start()
        api.until(lambda: api.held == 1)
        second.start()
        # The question of the first is ended by that of the second.
        first.join()
        [line] = studio.lines("telegram not receiving")
        assert (line["level"], line["reason"]) == ("WARN", "conflict")
        api.end()
        second.join()
        assert len(studio.lines("telegram receiving")) == 1
