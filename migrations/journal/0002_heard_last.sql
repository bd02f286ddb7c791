-- The automations heard last are found without a look at all there ever were.
-- dated: 2026-11-30
-- up

CREATE INDEX automation_heard ON automation (received_at_us);

-- down

DROP INDEX automation_heard;
