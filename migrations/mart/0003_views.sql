-- What other programs read: views with stable names, and the summaries behind some of them.
-- dated: 2026-11-30
-- up

-- Which deliveries spoke of which stretch of the records of a kind (by record.at_ms).
CREATE TABLE told (
    kind TEXT NOT NULL,
    delivery INTEGER NOT NULL,
    first_at_ms INTEGER NOT NULL,
    last_at_ms INTEGER NOT NULL,
    PRIMARY KEY (kind, delivery)
) STRICT, WITHOUT ROWID;

-- Summaries are what the program answers of whole days, nights, workouts, kept for programs that
-- only speak SQL. They follow the folds, and are made again whenever anything differs they depend
-- on. day_ms: a local date, as its midnight in UTC.

-- How far they are: folded.delivery and mart.folds as of the last look, the rules and the order of
-- sources they were made by.
CREATE TABLE summary (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    delivery INTEGER NOT NULL,
    fold INTEGER NOT NULL,
    rules TEXT NOT NULL
) STRICT;

-- What has still to be made again: dates from the first to before the last, of a metric, or of all
-- nights (kind 'night') or workouts (kind 'workout').
CREATE TABLE stale (
    kind TEXT NOT NULL CHECK (kind IN ('day', 'night', 'workout')),
    metric TEXT NOT NULL,
    first_ms INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    PRIMARY KEY (kind, metric, first_ms, last_ms)
) STRICT, WITHOUT ROWID;

CREATE INDEX stale_last ON stale (last_ms);

-- What the days of a metric depend on beside its readings: what is known of it, and the first
-- reading of the live feed.
CREATE TABLE summarised (
    metric TEXT PRIMARY KEY,
    known TEXT NOT NULL,
    live_ms INTEGER
) STRICT, WITHOUT ROWID;

-- place: number of the row among those of its day. field: which of several values a metric has.
-- counted: in the first row of a day, what a longer bucket counts of it (JSON, see
-- series/counted.py).
CREATE TABLE day (
    metric TEXT NOT NULL,
    day_ms INTEGER NOT NULL,
    place INTEGER NOT NULL,
    day TEXT NOT NULL,
    field TEXT,
    value REAL,
    min REAL,
    max REAL,
    unit TEXT,
    aggregate TEXT NOT NULL,
    layer TEXT NOT NULL,
    open INTEGER NOT NULL CHECK (open IN (0, 1)),
    sources TEXT NOT NULL,
    counted TEXT,
    PRIMARY KEY (metric, day_ms, place)
) STRICT, WITHOUT ROWID;

-- Times are told as instants, then as texts with the offset recorded then (of the time in bed
-- lain_down, got_up); hours that nobody has measured are NULL.
CREATE TABLE night (
    day_ms INTEGER NOT NULL,
    start_ms INTEGER NOT NULL,
    end_ms INTEGER NOT NULL,
    day TEXT NOT NULL,
    session TEXT NOT NULL,
    started TEXT NOT NULL,
    ended TEXT NOT NULL,
    lain_down TEXT,
    got_up TEXT,
    total_h REAL,
    in_bed_h REAL,
    deep_h REAL,
    core_h REAL,
    rem_h REAL,
    asleep_h REAL,
    awake_h REAL,
    sources TEXT NOT NULL,
    flags TEXT,
    keys TEXT NOT NULL,
    PRIMARY KEY (day_ms, start_ms, end_ms)
) STRICT, WITHOUT ROWID;

CREATE TABLE workout (
    day_ms INTEGER NOT NULL,
    key TEXT NOT NULL,
    day TEXT NOT NULL,
    start_ms INTEGER,
    end_ms INTEGER,
    name TEXT,
    started TEXT,
    ended TEXT,
    duration_s REAL,
    distance_km REAL,
    active_energy_kcal REAL,
    avg_heart_rate REAL,
    max_heart_rate REAL,
    location TEXT,
    flags TEXT,
    PRIMARY KEY (day_ms, key)
) STRICT, WITHOUT ROWID;

-- No view reads JSON: a program that trusts no schema would refuse it. Those of days, nights and
-- workouts call no function at all: DuckDB reads them by its own.

-- Every reading as it was folded; see docs/views.md.
CREATE VIEW v_points AS
SELECT
    metric,
    layer,
    CASE WHEN starts_ms IS NULL THEN NULL ELSE
        strftime('%Y-%m-%dT%H:%M:%S', local_s, 'unixepoch')
        || CASE WHEN millis THEN printf('.%03d', millis) ELSE '' END
        || printf('%s%02d:%02d', CASE WHEN ahead_min < 0 THEN '-' ELSE '+' END,
                  abs(ahead_min) / 60, abs(ahead_min) % 60)
    END AS time,
    starts_ms AS at_ms,
    CASE WHEN is_dated OR starts_ms IS NULL THEN date(sub * 86400, 'unixepoch')
        ELSE date(local_s, 'unixepoch') END AS day,
    ends_ms AS end_ms,
    qty, min, avg, max, unit, sources, delivery_id, detail, key_ms
FROM (
    SELECT *,
        (starts_ms - millis) / 1000 + ahead_min * 60 AS local_s
    FROM (
        SELECT *,
            ((starts_ms % 1000) + 1000) % 1000 AS millis,
            CASE WHEN is_dated AND offset_min IS NOT NULL THEN offset_min ELSE coalesce(
                (SELECT offset_min FROM quarter WHERE quarter <= (starts_ms
                    - ((starts_ms % 900000) + 900000) % 900000) / 900000
                    ORDER BY quarter DESC LIMIT 1),
                (SELECT offset_min FROM quarter ORDER BY quarter LIMIT 1),
                0) END AS ahead_min
        FROM (
            SELECT
                series.metric,
                series.layer,
                point.at_ms AS key_ms,
                point.sub,
                point.offset_min,
                series.layer IN ('day', 'week', 'month', 'year') AS is_dated,
                CASE
                    WHEN point.origin = -1 THEN NULL
                    WHEN series.layer IN ('week', 'month', 'year') THEN NULL
                    ELSE point.at_ms
                END AS starts_ms,
                CASE WHEN series.layer = 'sample' THEN point.at_ms + point.sub END AS ends_ms,
                point.qty, point.min, point.avg, point.max,
                tag.unit,
                tag.sources,
                folded.delivery_id,
                point.detail
            FROM series
            JOIN point ON point.series = series.series
            LEFT JOIN tag ON tag.tag = point.tag
            LEFT JOIN folded ON folded.delivery = point.said_by
        )
    )
);

-- One value for each metric and local day, resolved over layers, devices and units.
CREATE VIEW v_days AS
SELECT metric, day, field, value, min, max, unit, aggregate, layer, open, sources, day_ms
FROM day;

-- Nights and naps by the day they ended on, each hour counted once.
CREATE VIEW v_nights AS
SELECT day, session, started, ended, lain_down, got_up, total_h, in_bed_h, deep_h, core_h, rem_h,
    asleep_h, awake_h, sources, flags, day_ms, start_ms, end_ms
FROM night;

-- Workouts by the day they began on, each told once, in kilometres, kilocalories, seconds.
CREATE VIEW v_workouts AS
SELECT day, name, started, ended, duration_s, distance_km, active_energy_kcal, avg_heart_rate,
    max_heart_rate, location, flags, key, day_ms, start_ms, end_ms
FROM workout;

-- How the views are: days, nights and workouts are up to date where behind is 0.
CREATE VIEW v_state AS
SELECT
    coalesce((SELECT max(delivery) FROM folded), 0)
        - coalesce((SELECT delivery FROM summary), 0)
        + (SELECT count(*) FROM stale) AS behind,
    (SELECT count(*) FROM folded) AS deliveries,
    (SELECT coalesce(sum(points), 0) FROM series) AS points;

-- down
DROP VIEW v_state;
DROP VIEW v_workouts;
DROP VIEW v_nights;
DROP VIEW v_days;
DROP VIEW v_points;
DROP TABLE workout;
DROP TABLE night;
DROP TABLE day;
DROP TABLE summarised;
DROP TABLE stale;
DROP TABLE summary;
DROP TABLE told;
