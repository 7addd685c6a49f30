-- What the consumer writes. The order of the columns keeps the fixed-width ones together: no padding between them.

CREATE TABLE messages (
    message_id   uuid        NOT NULL,
    position     bigint      NOT NULL,
    timestamp    timestamptz NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    room_id      text        NOT NULL CHECK (length(room_id) BETWEEN 1 AND 64),
    user_id      text        NOT NULL CHECK (length(user_id) BETWEEN 1 AND 64),
    username     text        NOT NULL CHECK (length(username) BETWEEN 1 AND 64),
    message_type text        NOT NULL CHECK (message_type IN ('TEXT', 'JOIN', 'LEAVE')),
    -- Chat servers allow 500 characters unless told otherwise. Bytes are what an index entry (2,704 at most) can hold.
    content      text        CHECK (octet_length(content) <= 2400),
    server_id    text        NOT NULL,
    client_ip    inet,
    PRIMARY KEY (message_id),
    CHECK ((content IS NOT NULL) = (message_type = 'TEXT'))
);

COMMENT ON TABLE messages IS 'Every accepted message, exactly once';
COMMENT ON COLUMN messages.message_id IS 'Made by the client (UUIDv7 advised) or by the chat server; sent twice it is stored once';
COMMENT ON COLUMN messages.position IS 'Place in the log: the order in which everybody in the room saw it';
COMMENT ON COLUMN messages.timestamp IS 'The chat server''s clock when it took the message in';
COMMENT ON COLUMN messages.created_at IS 'When it was stored; minus timestamp: how long that took';
COMMENT ON COLUMN messages.content IS 'What was said; null for JOIN and LEAVE';
COMMENT ON COLUMN messages.server_id IS 'The chat server that took it in';
COMMENT ON COLUMN messages.client_ip IS 'Where it came from, as that server saw it; null where unknown';

-- Pages of a room. Not unique: a broker that lost power can lose its last entries and give their places to others.
CREATE INDEX messages_room_position ON messages (room_id, position);
-- A room in a time range; a user's history; a user's rooms by last activity; everything in a time range.
CREATE INDEX messages_room_time ON messages (room_id, timestamp DESC) INCLUDE (user_id, content);
CREATE INDEX messages_user_time ON messages (user_id, timestamp DESC) INCLUDE (room_id, content);
CREATE INDEX messages_user_room_time ON messages (user_id, room_id, timestamp DESC);
CREATE INDEX messages_time ON messages USING brin (timestamp);

CREATE TABLE log_position (
    partition  integer     NOT NULL PRIMARY KEY,
    position   bigint      NOT NULL,
    origin     bigint      NOT NULL,
    log_offset bigint      NOT NULL,
    run        bigint      NOT NULL,
    sequence   bigint      NOT NULL,
    drained    boolean     NOT NULL DEFAULT false,
    updated_at timestamptz NOT NULL DEFAULT now()
);

COMMENT ON TABLE log_position IS 'How far each partition of the log is stored; moved by compare-and-set in the transaction of the rows';
COMMENT ON COLUMN log_position.position IS 'The highest that a message of the last stored entry can have';
COMMENT ON COLUMN log_position.origin IS 'When the log was begun, microseconds since 1970';
COMMENT ON COLUMN log_position.log_offset IS 'Offset of the last stored entry';
COMMENT ON COLUMN log_position.run IS 'Of the server that wrote the entry: with sequence, how a reader knows it again';
COMMENT ON COLUMN log_position.sequence IS 'Of the entry in its run';
COMMENT ON COLUMN log_position.drained IS 'The consumer stopped at the end of the log: one that ended with its process lost nothing';

CREATE TABLE log_gap (
    id            bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    partition     integer     NOT NULL,
    reason        text        NOT NULL,
    from_position bigint      NOT NULL,
    to_position   bigint      NOT NULL,
    recorded_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX log_gap_partition ON log_gap (partition, to_position);

COMMENT ON TABLE log_gap IS 'Ranges of the log that were gone before they could be stored';
COMMENT ON COLUMN log_gap.reason IS 'TRUNCATED: removed by retention; REPLACED: the log is another one, or lost its tail';
COMMENT ON COLUMN log_gap.from_position IS 'After it something may be missing';
COMMENT ON COLUMN log_gap.to_position IS 'Up to it something may be missing';

CREATE TABLE dead_letter (
    id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    message_id uuid        UNIQUE,
    partition  integer     NOT NULL,
    position   bigint      NOT NULL,
    room_id    text,
    reason     text        NOT NULL,
    bytes      bytea       NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
-- An entry whose header can't be read can't be marked as dealt with either, so it can be read again.
CREATE UNIQUE INDEX dead_letter_entry ON dead_letter (partition, position) WHERE message_id IS NULL;

COMMENT ON TABLE dead_letter IS 'What stood in the log and could not become a row';
COMMENT ON COLUMN dead_letter.message_id IS 'Null where the whole entry could not be read';
COMMENT ON COLUMN dead_letter.position IS 'Of the message, or of the entry; of an unreadable entry in a log whose origin was not known yet, its bare offset';
COMMENT ON COLUMN dead_letter.bytes IS 'The message''s JSON, or the whole entry';
