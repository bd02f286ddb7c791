"""The chats that the bot knows: who is served, which group has moved where, who was turned away."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection

_STRANGERS_KEPT = 1000
_MOVES_FOLLOWED = 10


def is_served(connection: sqlite3.Connection, allowed: Collection[int], chat_id: int) -> bool:
    """Whether the chat is allowed, or is what an allowed group has become."""
    if chat_id in allowed:
        return True
    return any(present(connection, one) == chat_id for one in allowed)


def present(connection: sqlite3.Connection, chat_id: int) -> int:
    """The id that the chat has now."""
    query = "SELECT new_chat_id FROM telegram_move WHERE chat_id = ?"
    for _ in range(_MOVES_FOLLOWED):
        row = connection.execute(query, (chat_id,)).fetchone()
        if row is None:
            break
        [chat_id] = row
    return chat_id


def note_move(connection: sqlite3.Connection, chat_id: int, new_chat_id: int, now_us: int) -> None:
    """The group has become the supergroup of that id. Told from both sides, and by failed answers:
    the first word stands."""
    if present(connection, new_chat_id) == chat_id:
        return  # there is no way back, and a circle must not be stored
    connection.execute(
        "INSERT INTO telegram_move (chat_id, new_chat_id, noted_at_us) VALUES (?, ?, ?)"
        " ON CONFLICT DO NOTHING",
        (chat_id, new_chat_id, now_us),
    )


def note_stranger(connection: sqlite3.Connection, chat_id: int, now_us: int) -> bool:
    """The chat is turned away; whether for the first time, as far as that is remembered."""
    written = connection.execute(
        "INSERT INTO telegram_stranger (chat_id, told_at_us) VALUES (?, ?) ON CONFLICT DO NOTHING",
        (chat_id, now_us),
    ).rowcount
    connection.execute(
        "DELETE FROM telegram_stranger WHERE chat_id IN (SELECT chat_id FROM telegram_stranger"
        " ORDER BY told_at_us DESC, chat_id DESC LIMIT -1 OFFSET ?)",
        (_STRANGERS_KEPT,),
    )
    return written == 1
