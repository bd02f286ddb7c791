-- What the owner has been told of, so that nothing is told twice.
-- dated: 2026-11-30

-- up

-- A cause that was found and is not over yet; told_at_us is NULL until a notice of it was taken.
CREATE TABLE notice (
    cause       TEXT    NOT NULL PRIMARY KEY,
    kind        TEXT    NOT NULL,
    name        TEXT,
    since_us    INTEGER NOT NULL,
    told_at_us  INTEGER
) STRICT;

-- One row: when somebody was last listening, when the last notice was taken.
CREATE TABLE watch (
    one             INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    listened_at_us  INTEGER NOT NULL,
    noticed_at_us   INTEGER
) STRICT;

-- Times in which nothing could be heard: what comes late because of them is no silence of a phone.
CREATE TABLE outage (
    from_us  INTEGER NOT NULL PRIMARY KEY,
    to_us    INTEGER NOT NULL
) STRICT;

-- down

DROP TABLE outage;
DROP TABLE watch;
DROP TABLE notice;
