"""What becomes of one update."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from healthlog.base.clock import Clock
from healthlog.base.db import Database
from healthlog.transcriber.intake import Intake
from healthlog.transcriber.rows import TELEGRAM, Meta
from healthlog.transcriber.telegram import chats, offset, words
from healthlog.transcriber.telegram.download import Downloads, TooLarge
from healthlog.transcriber.telegram.media import Media
from healthlog.transcriber.telegram.offset import Handled
from healthlog.transcriber.telegram.settings import Telegram
from healthlog.transcriber.telegram.updates import Message, Update

TAKEN, REFUSED = "taken", "refused"
STRANGER, ANSWERED, IGNORED, REPEATED = "stranger", "answered", "ignored", "repeated"

_WRITE_BUDGET_S = 5.0


class Desk:
    """Deals with updates, one after the other: whatever comes of one is committed together with
    the number that confirms it, or nothing is.

    `say` tells a chat something of the bot's own, once and without a promise.
    """

    def __init__(
        self,
        settings: Telegram,
        downloads: Downloads,
        intake: Intake,
        store: Database,
        *,
        clock: Clock,
        say: Callable[[Message, str], None],
    ) -> None:
        self._bot_id = settings.bot_id
        self._allowed = frozenset(settings.allowed_chats)
        self._largest = settings.largest_bytes
        self._downloads = downloads
        self._intake = intake
        self._store = store
        self._clock = clock
        self._say = say

    def next_update(self) -> int | None:
        """The number of the first update that is not dealt with, None before the first one."""
        return self._store.read(lambda c: offset.next_update(c, self._bot_id))

    def deal_with(self, update: Update) -> str:
        """One of the words above. Raises what kept it from being dealt with: then it is as if it
        had never been seen. Gone: the Bot API has no file for it."""
        if self._store.read(lambda c: offset.is_handled(c, self._bot_id, update.update_id)):
            return REPEATED
        try:
            return self._dealt_with(update)
        except Handled:
            return REPEATED

    def give_up(self, update: Update) -> str:
        """The same for an update with which it came to nothing again and again, so that it must not
        keep back those behind it: its recording is stopped from the first."""
        message = update.message
        if message is None or message.media is None:
            return self._passed(update, IGNORED)
        return self._refused(update, message, message.media, words.GONE_REASON, words.GONE)

    def _dealt_with(self, update: Update) -> str:
        message = update.message
        if message is None:
            return self._passed(update, IGNORED)
        if message.moved_to is not None or message.moved_from is not None:
            return self._moved(update, message)
        if not self._store.read(lambda c: chats.is_served(c, self._allowed, message.chat_id)):
            return self._turned_away(update, message)
        if message.media is not None:
            return self._recording(update, message, message.media)
        if not message.asks:
            return self._passed(update, IGNORED)
        self._passed(update, ANSWERED)
        self._say(message, words.HELP)
        return ANSWERED

    # ---- recordings

    def _recording(self, update: Update, message: Message, media: Media) -> str:
        try:
            found = self._downloads.find(media)
            meta = _meta(message, media, media.extension_with(found.path))
            self._intake.take(self._downloads.pieces(found), meta, self._beside(update))
        except TooLarge:
            reason, told = words.too_large_reason(self._largest), words.too_large(self._largest)
            return self._refused(update, message, media, reason, told)
        return TAKEN

    def _refused(
        self, update: Update, message: Message, media: Media, reason: str, told: str
    ) -> str:
        meta = _meta(message, media, media.extension or media.usual_extension)
        self._intake.take_refused(meta, reason, self._beside(update), told=told)
        return REFUSED

    def _beside(self, update: Update) -> Callable[[sqlite3.Connection, str], None]:
        def beside(connection: sqlite3.Connection, _recording_id: str) -> None:
            self._advance(connection, update)

        return beside

    # ---- everything else

    def _turned_away(self, update: Update, message: Message) -> str:
        def work(connection: sqlite3.Connection) -> bool:
            self._advance(connection, update)
            return chats.note_stranger(connection, message.chat_id, self._clock.now_us())

        if self._store.write(work, budget_s=_WRITE_BUDGET_S):
            self._say(message, words.turned_away(message.chat_id))
        return STRANGER

    def _moved(self, update: Update, message: Message) -> str:
        """Word of it comes from the old group and from the new one."""
        old = message.chat_id if message.moved_from is None else message.moved_from
        new = message.chat_id if message.moved_to is None else message.moved_to

        def work(connection: sqlite3.Connection) -> None:
            self._advance(connection, update)
            if chats.is_served(connection, self._allowed, old):
                chats.note_move(connection, old, new, self._clock.now_us())

        self._store.write(work, budget_s=_WRITE_BUDGET_S)
        return IGNORED

    def _passed(self, update: Update, outcome: str) -> str:
        self._store.write(lambda c: self._advance(c, update), budget_s=_WRITE_BUDGET_S)
        return outcome

    def _advance(self, connection: sqlite3.Connection, update: Update) -> None:
        offset.advance(connection, self._bot_id, update.update_id, self._clock.now_us())


def _meta(message: Message, media: Media, extension: str) -> Meta:
    return Meta(
        TELEGRAM,
        extension,
        content_type=media.content_type,
        recorded_at_us=message.recorded_at_us,
        declared_ms=media.declared_ms,
        chat_id=message.chat_id,
        message_id=message.message_id,
        thread_id=message.thread_id,
        title=message.title,
    )
