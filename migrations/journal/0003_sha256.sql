-- Bodies found again by their checksum, so that an import skips what the journal has.
-- dated: 2026-11-30

-- up

CREATE INDEX delivery_sha256 ON delivery (sha256);

-- down

DROP INDEX delivery_sha256;
