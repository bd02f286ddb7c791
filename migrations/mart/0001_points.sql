-- What is derived from archive and journal: points, the clock, the account of each fold.
-- dated: 2026-11-30
-- up

-- This mart itself, in one row: a name that no other mart has, and how many folds it has seen. By
-- both, whoever keeps a copy of it knows how far the copy goes.
CREATE TABLE mart (
    generation TEXT NOT NULL,
    folds INTEGER NOT NULL
) STRICT;

INSERT INTO mart (generation, folds) VALUES (lower(hex(randomblob(8))), 0);

-- One line for each delivery folded into this mart, written in the fold's own transaction.
-- `delivery` is the short number by which rows here name it. parts: JSON, the counts of each part
-- of the body that was taken, for a later fold by rules that cover more.
CREATE TABLE folded (
    delivery INTEGER PRIMARY KEY,
    delivery_id TEXT NOT NULL UNIQUE,
    said_at_us INTEGER NOT NULL,
    received_at_us INTEGER NOT NULL,
    spoke_at_us INTEGER NOT NULL,
    parser INTEGER NOT NULL,
    coverage INTEGER NOT NULL,
    layer TEXT,
    layer_origin TEXT,
    received INTEGER NOT NULL,
    new INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    same INTEGER NOT NULL,
    outdated INTEGER NOT NULL,
    rejected_count INTEGER NOT NULL,
    incomparable INTEGER NOT NULL,
    uncovered TEXT NOT NULL,
    rejected TEXT NOT NULL,
    folded_at_us INTEGER NOT NULL,
    parts TEXT NOT NULL
) STRICT;

-- A metric in a layer, with its summary kept by the fold so that no reader has to scan for it.
CREATE TABLE series (
    series INTEGER PRIMARY KEY,
    metric TEXT NOT NULL,
    layer TEXT NOT NULL,
    points INTEGER NOT NULL DEFAULT 0,
    first_at_ms INTEGER,
    last_at_ms INTEGER,
    UNIQUE (metric, layer)
) STRICT;

-- Unit and source set of readings, named once; both by themselves (sources: JSON) for the views,
-- which must not read JSON.
CREATE TABLE tag (
    tag INTEGER PRIMARY KEY,
    label TEXT NOT NULL UNIQUE,
    unit TEXT,
    sources TEXT
) STRICT;

-- What besides the time belongs to a coordinate: [sources, reason].
CREATE TABLE origin (
    origin INTEGER PRIMARY KEY,
    label TEXT NOT NULL UNIQUE
) STRICT;

-- The winner of each coordinate, a row for each of its readings (n = 0, 1, ... in canonical order).
-- at_ms: start instant; in week, month and year, and for a date alone, the date's midnight as if
-- in UTC. sub: local date (days since 1970) in day and coarser layers, length in ms in sample,
-- else 0. origin: 0 for none, -1 for a date alone. said_by: the delivery whose word stands;
-- closed_by: the first that spoke after the end of an hour or day. offset_min: as sent, day and
-- coarser only; finer rows have it from the clock. detail: JSON of what is rare (end, start, extra).
CREATE TABLE point (
    series INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    sub INTEGER NOT NULL,
    origin INTEGER NOT NULL,
    n INTEGER NOT NULL,
    qty REAL,
    min REAL,
    avg REAL,
    max REAL,
    tag INTEGER NOT NULL,
    said_by INTEGER NOT NULL,
    closed_by INTEGER,
    offset_min INTEGER,
    detail TEXT,
    PRIMARY KEY (series, at_ms, sub, origin, n)
) STRICT, WITHOUT ROWID;

-- The clock: for each quarter of an hour (UTC, instants divided by 900,000 ms) the offset with
-- which the word of least rank named an instant in it.
CREATE TABLE quarter (
    quarter INTEGER PRIMARY KEY,
    offset_min INTEGER NOT NULL,
    said_by INTEGER NOT NULL
) STRICT;

-- Which deliveries spoke of which stretch of a series, to find who said what.
CREATE TABLE spoke (
    delivery INTEGER NOT NULL,
    series INTEGER NOT NULL,
    first_at_ms INTEGER NOT NULL,
    last_at_ms INTEGER NOT NULL,
    readings INTEGER NOT NULL,
    PRIMARY KEY (series, delivery)
) STRICT, WITHOUT ROWID;

-- What each fold changed, for whoever keeps a copy: the stretch of a series in which readings are
-- new, differ, or were closed by another. Series 0 is the clock; an end that is NULL there is open.
CREATE TABLE change (
    fold INTEGER NOT NULL,
    series INTEGER NOT NULL,
    first_at_ms INTEGER,
    last_at_ms INTEGER,
    PRIMARY KEY (fold, series)
) STRICT, WITHOUT ROWID;

-- down
DROP TABLE change;
DROP TABLE spoke;
DROP TABLE quarter;
DROP TABLE point;
DROP TABLE origin;
DROP TABLE tag;
DROP TABLE series;
DROP TABLE folded;
DROP TABLE mart;
