"""What the bot says by itself, in its own words."""

from __future__ import annotations

HELP = (
    "Send a voice message, an audio file or a video, or forward one: its text comes back here"
    " and is kept in the log."
)

GONE = "Telegram did not give this recording out. Please send it again."


def too_large(largest_bytes: int) -> str:
    """To the sender of a file that can't be fetched."""
    return (
        f"This recording is larger than the {_mb(largest_bytes)} MB that Telegram gives out to"
        " bots. Please send it in parts, or upload it to the log itself."
    )


def too_large_reason(largest_bytes: int) -> str:
    """Of the same recording, for its row."""
    return f"the file is larger than the {_mb(largest_bytes)} MB that Telegram gives out"


GONE_REASON = "Telegram did not give the file out"


def turned_away(chat_id: int) -> str:
    """To a chat that isn't allowed: whoever owns the log finds here what to write where."""
    return (
        "This bot serves its owner alone, and nothing that is sent here is kept. To allow this"
        f" chat, put its number {chat_id} into the setting telegram_allowed_chats."
    )


def _mb(size: int) -> int:
    return size // (1024 * 1024)
