-- Deliveries with their outcome: the queue, the accounts and the last word of each automation; the
-- requests refused last.
-- dated: 2026-11-30
-- Instants (…_us) are microseconds since 1970 UTC; bytes and sha256 are of the uncompressed body,
-- packed_sha256 is of its file in the archive.

-- up

CREATE TABLE delivery (
    delivery_id       TEXT    NOT NULL PRIMARY KEY,
    received_at_us    INTEGER NOT NULL,
    clock_at_us       INTEGER NOT NULL,
    said_at_us        INTEGER NOT NULL,
    clock_doubtful    INTEGER NOT NULL DEFAULT 0 CHECK (clock_doubtful IN (0, 1)),
    imported          INTEGER NOT NULL DEFAULT 0 CHECK (imported IN (0, 1)),
    bytes             INTEGER NOT NULL CHECK (bytes >= 0),
    sha256            TEXT    NOT NULL,
    packed_sha256     TEXT,
    content_type      TEXT,
    remote            TEXT,
    automation_id     TEXT,
    automation_name   TEXT,
    aggregation       TEXT,
    period            TEXT,
    session_id        TEXT,
    parse_status      TEXT    NOT NULL DEFAULT 'pending'
                      CHECK (parse_status IN ('pending', 'parsed', 'partial', 'failed')),
    parser            INTEGER,
    coverage          INTEGER,
    layer             TEXT,
    layer_origin      TEXT,
    -- own_layer is what the delivery declares or lets derive, without inheriting; NULL beside a
    -- parser's number means: worked out, there is none.
    own_layer         TEXT,
    own_layer_parser  INTEGER,
    received          INTEGER NOT NULL DEFAULT 0,
    new               INTEGER NOT NULL DEFAULT 0,
    changed           INTEGER NOT NULL DEFAULT 0,
    same              INTEGER NOT NULL DEFAULT 0,
    outdated          INTEGER NOT NULL DEFAULT 0,
    rejected_count    INTEGER NOT NULL DEFAULT 0,
    incomparable      INTEGER NOT NULL DEFAULT 0,
    uncovered         TEXT    NOT NULL DEFAULT '[]',
    rejected          TEXT    NOT NULL DEFAULT '[]',
    failure_kind      TEXT,
    failure_message   TEXT,
    folded_at_us      INTEGER,
    CHECK ((parse_status = 'failed') = (failure_kind IS NOT NULL))
) STRICT;

CREATE INDEX delivery_order ON delivery (received_at_us, delivery_id);

-- parse_status is a column of the index although it is constant there: without it SQLite before
-- 3.41 doesn't see that the index covers the queue's queries.
CREATE INDEX delivery_pending ON delivery (received_at_us, delivery_id, parse_status)
    WHERE parse_status = 'pending';

-- Without the pending rows, so that accepting a delivery doesn't touch it.
CREATE INDEX delivery_status ON delivery (parse_status, received_at_us, delivery_id)
    WHERE parse_status <> 'pending';

CREATE INDEX delivery_automation ON delivery (automation_id, received_at_us, delivery_id);

CREATE TABLE automation (
    automation_id   TEXT    NOT NULL PRIMARY KEY,
    name            TEXT,
    received_at_us  INTEGER NOT NULL,
    delivery_id     TEXT    NOT NULL
) STRICT;

CREATE TABLE tally (
    parse_status  TEXT    NOT NULL PRIMARY KEY,
    deliveries    INTEGER NOT NULL,
    bytes         INTEGER NOT NULL
) STRICT;

INSERT INTO tally (parse_status, deliveries, bytes)
VALUES ('pending', 0, 0), ('parsed', 0, 0), ('partial', 0, 0), ('failed', 0, 0);

CREATE TRIGGER tally_insert AFTER INSERT ON delivery BEGIN
    UPDATE tally SET deliveries = deliveries + 1, bytes = bytes + NEW.bytes
     WHERE parse_status = NEW.parse_status;
END;

CREATE TRIGGER tally_update AFTER UPDATE OF parse_status, bytes ON delivery
WHEN OLD.parse_status <> NEW.parse_status OR OLD.bytes <> NEW.bytes BEGIN
    UPDATE tally SET deliveries = deliveries - 1, bytes = bytes - OLD.bytes
     WHERE parse_status = OLD.parse_status;
    UPDATE tally SET deliveries = deliveries + 1, bytes = bytes + NEW.bytes
     WHERE parse_status = NEW.parse_status;
END;

CREATE TRIGGER tally_delete AFTER DELETE ON delivery BEGIN
    UPDATE tally SET deliveries = deliveries - 1, bytes = bytes - OLD.bytes
     WHERE parse_status = OLD.parse_status;
END;

-- Which coverage of the parser was last looked for in the partial rows, and how many it returned to
-- the queue.
CREATE TABLE learned (
    coverage       INTEGER NOT NULL PRIMARY KEY,
    learned_at_us  INTEGER NOT NULL,
    returned       INTEGER NOT NULL
) STRICT;

-- The requests refused last, in their order, rewritten as a whole now and then. path has no query;
-- upload tells of whom half of the places are kept for.
CREATE TABLE refusal (
    place         INTEGER NOT NULL PRIMARY KEY,
    first_at_us   INTEGER NOT NULL,
    last_at_us    INTEGER NOT NULL,
    times         INTEGER NOT NULL,
    status        INTEGER NOT NULL,
    reason        TEXT    NOT NULL,
    method        TEXT    NOT NULL,
    path          TEXT    NOT NULL,
    remote        TEXT    NOT NULL,
    upload        INTEGER NOT NULL CHECK (upload IN (0, 1)),
    content_type  TEXT    NOT NULL,
    announced     INTEGER,
    user_agent    TEXT    NOT NULL
) STRICT;

-- down

DROP TABLE refusal;
DROP TABLE learned;
DROP TRIGGER tally_delete;
DROP TRIGGER tally_update;
DROP TRIGGER tally_insert;
DROP TABLE tally;
DROP TABLE automation;
DROP TABLE delivery;
