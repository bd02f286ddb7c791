-- Recordings on their way to text, the attempts at recognising them, what happened to each.
-- dated: 2026-11-30
-- Instants (…_us) are microseconds since 1970 UTC, durations (…_ms) milliseconds. The stages, here and in
-- the indexes, are those of healthlog/transcriber/stages.py: a test holds the two together.

-- up

CREATE TABLE recording (
    number           INTEGER PRIMARY KEY,
    recording_id     TEXT    NOT NULL UNIQUE,
    accepted_at_us   INTEGER NOT NULL,
    -- What came with it.
    source           TEXT    NOT NULL CHECK (source IN ('http', 'telegram')),
    extension        TEXT    NOT NULL,
    content_type     TEXT,
    bytes            INTEGER NOT NULL CHECK (bytes >= 0),
    sha256           TEXT,
    recorded_at_us   INTEGER,
    -- Of the place where that was, in minutes.
    recorded_offset_min INTEGER CHECK (recorded_offset_min BETWEEN -1080 AND 1080),
    declared_ms      INTEGER CHECK (declared_ms >= 0),
    chat_id          INTEGER,
    message_id       INTEGER,
    thread_id        INTEGER,
    -- The person's columns: no step ever writes them. Topics are an array of texts.
    owner            TEXT,
    title            TEXT,
    summary          TEXT,
    topics           TEXT,
    corrected_text   TEXT,
    -- What the steps found out.
    duration_ms      INTEGER CHECK (duration_ms >= 0),
    silent           INTEGER CHECK (silent IN (0, 1)),
    text             TEXT,
    language         TEXT,
    -- The queue.
    stage            TEXT    NOT NULL DEFAULT 'uploaded'
                     CHECK (stage IN ('uploaded', 'normalized', 'submitted', 'transcribed', 'done')),
    stage_since_us   INTEGER NOT NULL,
    due_at_us        INTEGER NOT NULL,
    claim            TEXT    UNIQUE,
    claim_until_us   INTEGER,
    attempts         INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    -- Which run of the workers claimed it last, and whether that was the first claim of that run.
    run              TEXT,
    first_of_run     INTEGER NOT NULL DEFAULT 0 CHECK (first_of_run IN (0, 1)),
    -- For whoever wonders whether it lives: polls since the stage was entered, how the last step went.
    polls            INTEGER NOT NULL DEFAULT 0 CHECK (polls >= 0),
    last_outcome     TEXT,
    last_error       TEXT,
    last_at_us       INTEGER,
    stopped_at_us    INTEGER,
    stop_reason      TEXT    CHECK (stop_reason IN ('attempts', 'stuck', 'verdict', 'person')),
    stop_error       TEXT,
    CHECK ((claim IS NULL) = (claim_until_us IS NULL)),
    CHECK ((stopped_at_us IS NULL) = (stop_reason IS NULL)),
    CHECK (stopped_at_us IS NOT NULL OR stop_error IS NULL),
    -- What is stopped is in nobody's hands, and what is done can't be stopped.
    CHECK (stopped_at_us IS NULL OR (claim IS NULL AND stage <> 'done'))
) STRICT;

CREATE INDEX recording_due ON recording (due_at_us, recording_id)
    WHERE stopped_at_us IS NULL AND stage IN ('uploaded', 'normalized', 'submitted', 'transcribed');

CREATE INDEX recording_stopped ON recording (stop_reason, recording_id) WHERE stopped_at_us IS NOT NULL;

CREATE INDEX recording_stage ON recording (stage, stopped_at_us, stage_since_us);

-- When each was spoken, as far as is known: for the notes of a day.
CREATE INDEX recording_spoken ON recording (coalesce(recorded_at_us, accepted_at_us), recording_id);

-- One row for each call that may cost money, written before the call.
CREATE TABLE recognition (
    recording_id     TEXT    NOT NULL REFERENCES recording (recording_id) ON DELETE CASCADE,
    attempt          INTEGER NOT NULL CHECK (attempt > 0),
    -- The claim by which it was begun.
    token            TEXT    NOT NULL,
    provider         TEXT    NOT NULL,
    parameters       TEXT    NOT NULL,
    called_at_us     INTEGER NOT NULL,
    operation        TEXT,
    submitted_at_us  INTEGER,
    ended_at_us      INTEGER,
    ending           TEXT    CHECK (ending IN ('done', 'refused', 'failed', 'lost', 'cut', 'accepted')),
    confidence       REAL,
    segments         TEXT    NOT NULL DEFAULT '[]',
    words            TEXT    NOT NULL DEFAULT '[]',
    text             TEXT,
    language         TEXT,
    PRIMARY KEY (recording_id, attempt),
    CHECK ((operation IS NULL) = (submitted_at_us IS NULL)),
    CHECK ((ended_at_us IS NULL) = (ending IS NULL))
) STRICT, WITHOUT ROWID;

-- A recording has one attempt under way at most.
CREATE UNIQUE INDEX recognition_open ON recognition (recording_id) WHERE ended_at_us IS NULL;

-- The event journal: for people, never read by a step.
CREATE TABLE recording_event (
    number           INTEGER PRIMARY KEY,
    recording_id     TEXT    NOT NULL REFERENCES recording (recording_id) ON DELETE CASCADE,
    happened_at_us   INTEGER NOT NULL,
    source           TEXT    NOT NULL CHECK (source IN ('step', 'person')),
    step             TEXT    NOT NULL,
    stage            TEXT    NOT NULL,
    outcome          TEXT    NOT NULL,
    duration_ms      INTEGER NOT NULL CHECK (duration_ms >= 0),
    detail           TEXT
) STRICT;

CREATE INDEX recording_event_of ON recording_event (recording_id, number);

-- Kept by healthlog/transcriber/search.py and not by triggers: to a connection that doesn't trust the
-- schema SQLite refuses a virtual table inside of one.
CREATE VIRTUAL TABLE recording_search USING fts5 (text, title, topics);

-- down

DROP TABLE recording_search;
DROP TABLE recording_event;
DROP TABLE recognition;
DROP TABLE recording;
