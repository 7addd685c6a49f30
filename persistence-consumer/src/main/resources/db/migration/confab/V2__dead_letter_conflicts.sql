-- Several messages can claim one id and all have to be kept: at each place in the log at most one.
ALTER TABLE dead_letter DROP CONSTRAINT dead_letter_message_id_key;
CREATE UNIQUE INDEX dead_letter_message ON dead_letter (message_id, position) WHERE message_id IS NOT NULL;

COMMENT ON COLUMN dead_letter.reason IS 'CONFLICT: another message under this id came first and is stored; else what was wrong with it';
