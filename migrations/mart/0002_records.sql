-- Records: workouts, nights, and all else that is no metric.
-- dated: 2026-11-30
-- up

-- One row for each record. start_ms, end_ms: instants where its fields tell them; at_ms: its place
-- in lists, the first of them that is known, else before all others. derived, flags: JSON, functions
-- of its fields alone. mate: what a record shares with the one it is shown with; loose: 1 for one
-- that isn't listed by itself where there is such another. changed_by: the fold by which a
-- field or the local day last changed (see mart.folds).
CREATE TABLE record (
    record INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    start_ms INTEGER,
    end_ms INTEGER,
    derived TEXT NOT NULL,
    flags TEXT NOT NULL,
    mate TEXT,
    loose INTEGER NOT NULL CHECK (loose IN (0, 1)),
    changed_by INTEGER NOT NULL,
    UNIQUE (kind, key)
) STRICT;

CREATE INDEX record_place ON record (at_ms, kind, key);
CREATE INDEX record_kind_place ON record (kind, at_ms, key);
CREATE INDEX record_mate ON record (kind, mate, loose, key) WHERE mate IS NOT NULL;
CREATE INDEX record_changed ON record (changed_by);

-- The winner of each field. value: canonical JSON, as TEXT, or as BLOB (zlib) where it is long;
-- length: samples of a series, NULL for what is none; said_by: the delivery whose word stands.
CREATE TABLE field (
    record INTEGER NOT NULL,
    name TEXT NOT NULL,
    value ANY NOT NULL,
    length INTEGER,
    said_by INTEGER NOT NULL,
    PRIMARY KEY (record, name)
) STRICT;

-- down
DROP TABLE field;
DROP TABLE record;
