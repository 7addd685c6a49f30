-- What is stored long after its place in the log, a dead letter that was replayed, is in no disorder by that. No value moves.
ALTER TABLE rollup_pending ADD COLUMN disorder_ms bigint;

COMMENT ON COLUMN rollup_pending.disorder_ms IS 'Of what was stored behind its place: by how much its times are in disorder there, at most; null: as the order of storing says';
