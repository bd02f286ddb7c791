"""How far the bot's updates have been dealt with: one number, kept in the journal.

It is written in the transaction of what an update brought, and only then is the update confirmed to
Telegram, which keeps it for a day until then. So a crash at any point has it asked for again, and
what was already kept is known by this number.
"""

from __future__ import annotations

import sqlite3

_NEAR = 1000


class Handled(Exception):
    """This update has been dealt with already: there is nothing to be written for it."""


def next_update(connection: sqlite3.Connection, bot_id: int) -> int | None:
    """The number of the first update that is not dealt with; None before the first one."""
    query = "SELECT next_update FROM telegram_offset WHERE bot_id = ?"
    row = connection.execute(query, (bot_id,)).fetchone()
    return None if row is None else row[0]


def is_handled(connection: sqlite3.Connection, bot_id: int, update_id: int) -> bool:
    """Whether the update is one of those before.

    Far below it is none of them: after a week without updates Telegram begins to count anew at a
    random number.
    """
    after = next_update(connection, bot_id)
    return after is not None and after - _NEAR <= update_id < after


def advance(connection: sqlite3.Connection, bot_id: int, update_id: int, now_us: int) -> None:
    """This update is dealt with by what its transaction writes. Handled, if it was before: an
    earlier try may be in the file although its commit failed."""
    if is_handled(connection, bot_id, update_id):
        raise Handled
    connection.execute(
        "INSERT INTO telegram_offset (bot_id, next_update, noted_at_us) VALUES (?, ?, ?)"
        " ON CONFLICT (bot_id) DO UPDATE"
        " SET next_update = excluded.next_update, noted_at_us = excluded.noted_at_us",
        (bot_id, update_id + 1, now_us),
    )
