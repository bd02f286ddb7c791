"""A bot over a studio, its polls made one by one by the test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from healthlog.base.db import Database
from healthlog.transcriber import rows
from healthlog.transcriber.rows import Recording
from healthlog.transcriber.telegram.bot import Bot
from healthlog.transcriber.telegram.settings import Telegram
from tests.support.bot_api import NAME, TOKEN, USERNAME, BotApi
from tests.support.clock import FakeClock
from tests.support.speech import words
from tests.support.studio import CHAT, Studio, open_studio

STRANGER = 666_013
GROUP, SUPERGROUP = -4_000, -1_004_000


@dataclass
class Rig:
    """`waits` are the pauses that the bot would have made; they pass on the clock at once, or, when
    `stopping`, are ended by a stop."""

    api: BotApi
    studio: Studio
    bot: Bot
    waits: list[float] = field(default_factory=list)
    stopping: bool = False

    def poll(self) -> float:
        """One question for updates, with all that follows from it: seconds until the next one."""
        return self.bot.poller.poll_once()

    def polls(self, times: int) -> list[float]:
        """Several, each after its pause."""
        pauses = []
        for _ in range(times):
            pauses.append(self.poll())
            self.studio.clock.advance(pauses[-1])
        return pauses

    def recordings(self) -> list[Recording]:
        query = f"SELECT {rows.columns()} FROM recording ORDER BY recording_id"
        return [rows.recording(row) for row in self.studio.rows(query)]

    def content(self, recording: Recording) -> bytes:
        """The file that was kept of it."""
        places = self.studio.recordings.places
        return places.original(recording.recording_id, recording.extension).read_bytes()

    def updates_counted(self, outcome: str) -> float:
        return self.studio.counted("healthlog_telegram_updates_total", outcome=outcome)

    @property
    def next_update(self) -> int | None:
        found = self.studio.rows("SELECT next_update FROM telegram_offset")
        return found[0][0] if found else None


def telegram(api: BotApi, **given: Any) -> Telegram:
    """Settings for a bot at that Bot API, or at another `url`; the usual chat is allowed."""
    url = given.pop("url", api.url)
    plain: dict[str, Any] = {"token": TOKEN, "allowed_chats": (CHAT,), "api": url}
    return Telegram(**{**plain, **given})


@contextmanager
def open_rig(data: Path, clock: FakeClock, api: BotApi, **given: Any) -> Iterator[Rig]:
    """A bot without a thread. `given` are its settings; `acts` of the studio."""
    acts = given.pop("acts", None)
    with open_studio(data, clock, down=True, acts=acts) as studio:

        def wait(seconds: float) -> bool:
            if rig.stopping:
                return True
            rig.waits.append(seconds)
            clock.advance(seconds)
            return False

        bot = Bot(
            telegram(api, **given),
            studio.recordings.intake,
            studio.journal,
            clock=clock,
            log=studio.log,
            registry=studio.registry,
            wait=wait,
        )
        studio.recordings.entrances[rows.TELEGRAM] = bot.answers
        rig = Rig(api, studio, bot)
        yield rig


def noted(store: Database) -> list[object]:
    """All that stands in the journal for anybody but the owner: events, the columns of the
    queue, how the recognition went."""
    queries = (
        "SELECT * FROM recording_event",
        "SELECT recording_id, last_error, last_outcome, stop_error, stage FROM recording",
        "SELECT recording_id, provider, parameters, operation, ending FROM recognition",
    )
    return [store.read(lambda c, q=query: c.execute(q).fetchall()) for query in queries]  # type: ignore[misc]


def assert_private(told: str, sender: int, text: str) -> None:
    """Neither the longer words of a text nor who sent it stands there, nor the token."""
    told = told.lower()
    secrets = {NAME, USERNAME, str(sender), TOKEN, TOKEN.partition(":")[2]}
    assert [one for one in secrets if one.lower() in told] == []
    secret_words = {word for word in words(text) if len(word) > 4}
    assert len(secret_words) > 2
    assert secret_words & set(words(told)) == set()
