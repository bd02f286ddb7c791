-- The Telegram bot: how far its updates are dealt with, groups that moved, chats that were turned away.
-- dated: 2026-11-30
-- up

-- One row a bot: another token may belong to another one, which counts its updates by itself.
CREATE TABLE telegram_offset (
    bot_id       INTEGER PRIMARY KEY,
    next_update  INTEGER NOT NULL CHECK (next_update > 0),
    noted_at_us  INTEGER NOT NULL
) STRICT;

-- A group that became a supergroup has another id from then on.
CREATE TABLE telegram_move (
    chat_id      INTEGER PRIMARY KEY,
    new_chat_id  INTEGER NOT NULL CHECK (new_chat_id <> chat_id),
    noted_at_us  INTEGER NOT NULL
) STRICT;

-- So that a chat that isn't allowed is told so once.
CREATE TABLE telegram_stranger (
    chat_id      INTEGER PRIMARY KEY,
    told_at_us   INTEGER NOT NULL
) STRICT;

CREATE INDEX telegram_stranger_told ON telegram_stranger (told_at_us, chat_id);

-- down

DROP TABLE telegram_stranger;
DROP TABLE telegram_move;
DROP TABLE telegram_offset;
