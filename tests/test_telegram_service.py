"""The bot as a part of the service: from what is spoken into it to the text that comes back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from healthlog.service import Service
from healthlog.transcriber.rows import TELEGRAM
from tests.support.bot_api import TOKEN, BotApi, bot_api
from tests.support.bots import assert_private, noted
from tests.support.installed import needs_speech
from tests.support.process import serving
from tests.support.serviced import Following, got, running
from tests.support.speech import SENTENCE, spoken, word_error_rate

SENDER = 987_654_321
CAPTION = "Errands with Hildegard"


@pytest.fixture
def api() -> Iterator[BotApi]:
    """A Bot API that keeps questions for updates open."""
    with bot_api() as made:
        made.holding = True
        yield made


def settings(api: BotApi, **more: str) -> dict[str, str]:
    """Those of a service with the bot."""
    return {
        "telegram_token": TOKEN,
        "telegram_api": api.url,
        "telegram_allowed_chats": str(SENDER),
        "recordings_poll_delay": "100ms",
        **more,
    }


def written(service: Service, stream: Following) -> str:
    """All that was told to anybody but the owner and the sender, in small letters."""
    told = noted(service.rooms.recordings.store)
    stats = json.dumps(got(service, "/stats"))
    return f"{stream.getvalue()} {service._registry.text()} {told} {stats}".lower()


@needs_speech
@pytest.mark.scenario("telegram", "Spoken sentence comes back as text")
@pytest.mark.scenario("telegram", "Nothing of text, sender and token is told to anybody else")
def test_a_spoken_sentence_comes_back_as_text(data: Path, tmp_path: Path, api: BotApi) -> None:
    with running(data, **settings(api)) as (service, stream):
        api.until(lambda: api.held > 0)
        update = api.voice(SENDER, spoken(tmp_path, "oga"), seconds=7, caption=CAPTION)
        api.until(lambda: bool(api.sent))
        [sent] = api.sent
        assert word_error_rate(SENTENCE, sent.text) <= 0.1
        assert (sent.chat_id, sent.reply_to) == (SENDER, update["message"]["message_id"])
        told = got(service, "/stats")["recordings"]
        assert (told["done"], told["telegram"]["receiving"]) == (1, True)
        assert told["telegram"]["trouble"] is None
        assert_private(written(service, stream), SENDER, f"{SENTENCE} {CAPTION}")
    assert stream.lines("stop budget exhausted") == []
    assert api.updates == {}


def test_without_a_token_there_is_no_bot(data: Path, api: BotApi) -> None:
    given = settings(api)
    del given["telegram_token"]
    with running(data, **given) as (service, _):
        assert "telegram" not in got(service, "/stats")["recordings"]
        assert service.rooms.recordings.entrances == {}
    assert api.calls == []


@pytest.mark.scenario("telegram", "Token that is not accepted")
def test_a_token_that_is_not_accepted_lets_the_service_live(data: Path, api: BotApi) -> None:
    given = settings(api, telegram_token="42:another-token-of-nobody-at-all")
    with running(data, **given) as (service, stream):
        line = stream.until("telegram not receiving")
        assert (line["level"], line["setting"]) == ("ERROR", "telegram_token")
        told = got(service, "/stats")["recordings"]["telegram"]
        assert told["receiving"] is False
        assert "telegram_token" in told["trouble"]
        assert service.rooms.recordings.entrances.keys() == {TELEGRAM}


@pytest.mark.scenario("telegram", "Stop cuts an open question")
def test_the_service_stops_at_once_while_the_bot_waits(data: Path, api: BotApi) -> None:
    environ: dict[str, Any] = {
        f"HEALTHLOG_{n.upper()}": value for n, value in settings(api).items()
    }
    with serving(data, **environ) as child:
        api.until(lambda: api.held > 0)
        assert child.stop() == 0
        assert child.said("stop budget exhausted") == []
        assert TOKEN not in json.dumps(child.lines) + child.errors_said
