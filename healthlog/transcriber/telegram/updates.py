"""An update of the Bot API, as far as this program looks at it.

https://core.telegram.org/bots/api#update. Only `message` counts: an edited message brings its file
once more, and everything else is not asked for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from healthlog.transcriber.telegram.media import Media, media_of, natural

_TITLE_CHARACTERS = 1000
_COMMANDS = ("/start", "/help")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
_YEAR_10000_S = 253_402_300_800


@dataclass(frozen=True, slots=True)
class Message:
    """A new message. `thread_id` only for a topic of a forum. `recorded_at_us` (microseconds since
    1970 UTC) is when it was first sent, also when it is forwarded; `asks` when it calls for words
    about the bot. `moved_to`, `moved_from` are chats, when a group became a supergroup."""

    chat_id: int
    message_id: int
    thread_id: int | None
    private: bool
    recorded_at_us: int | None
    title: str | None
    asks: bool
    media: Media | None
    moved_to: int | None
    moved_from: int | None


@dataclass(frozen=True, slots=True)
class Update:
    """`message` None for every other kind of update."""

    update_id: int
    message: Message | None


def update_of(found: object) -> Update | None:
    """The update; None for what can't be one, for it has no number."""
    if not isinstance(found, dict):
        return None
    update_id = natural(found.get("update_id"))
    if update_id is None:
        return None
    message = found.get("message")
    return Update(update_id, _message(message) if isinstance(message, dict) else None)


def _message(found: Mapping[str, Any]) -> Message | None:
    chat = found.get("chat")
    chat_id = whole(chat.get("id")) if isinstance(chat, dict) else None
    message_id = whole(found.get("message_id"))
    if not isinstance(chat, dict) or chat_id is None or message_id is None:
        return None
    text = found.get("text")
    words = text.split() if isinstance(text, str) else []
    # In groups commands may carry the bot's name: /start@some_bot.
    command = words[0].partition("@")[0] if words else ""
    private = chat.get("type") == "private"
    media = media_of(found)
    return Message(
        chat_id,
        message_id,
        whole(found.get("message_thread_id")) if found.get("is_topic_message") is True else None,
        private,
        _recorded_at_us(found),
        _title(found.get("caption")),
        media is None and (private or command in _COMMANDS),
        media,
        whole(found.get("migrate_to_chat_id")),
        whole(found.get("migrate_from_chat_id")),
    )


def _recorded_at_us(found: Mapping[str, Any]) -> int | None:
    origin = found.get("forward_origin")
    first = origin.get("date") if isinstance(origin, dict) else found.get("forward_date")
    seconds = natural(first) or natural(found.get("date"))
    return None if seconds is None or seconds >= _YEAR_10000_S else seconds * 1_000_000


def _title(caption: object) -> str | None:
    if not isinstance(caption, str):
        return None
    # Half a pair of surrogates can't be stored.
    plain = caption.encode("utf-8", "replace").decode()
    return " ".join(_CONTROLS.sub(" ", plain).split())[:_TITLE_CHARACTERS] or None


def whole(value: object) -> int | None:
    """A whole number that fits a column, None for anything else."""
    fits = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 53
    return value if fits and isinstance(value, int) else None
