-- Tables of the consumer. docs/reference/schema.md gives reasons and measurements.

-- Rooms and users are numbers in the other tables.
CREATE TABLE rooms (
    room    integer NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    room_id text    NOT NULL UNIQUE CHECK (char_length(room_id) BETWEEN 1 AND 64)
);

COMMENT ON TABLE rooms IS 'Rooms that have messages. A number is deleted with its room and never reused';
COMMENT ON COLUMN rooms.room IS 'Identifies the room in other tables; not consecutive';
COMMENT ON COLUMN rooms.room_id IS 'The id that clients use';

-- The consumer deletes the number of a room that has no messages and raises the version. A writer that cached its
-- numbers at an earlier version looks them up again.
CREATE TABLE numbering (
    only_one boolean NOT NULL PRIMARY KEY DEFAULT true CHECK (only_one),
    version  bigint  NOT NULL
);
INSERT INTO numbering (version) VALUES (0);

COMMENT ON TABLE numbering IS 'Version of the room numbers, by which writers validate their caches';
COMMENT ON COLUMN numbering.version IS 'Raised by each transaction that deletes room numbers';

CREATE TABLE users (
    usr     integer NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id text    NOT NULL UNIQUE CHECK (char_length(user_id) BETWEEN 1 AND 128)
);

COMMENT ON TABLE users IS 'Users who have messages; rows never change and are never deleted';
COMMENT ON COLUMN users.usr IS 'Identifies the user in other tables; not consecutive';
COMMENT ON COLUMN users.user_id IS 'The id that clients use';

-- A client chooses the ids of its messages, so an id is unique only together with its room and its sender.
-- Partitions are ranges of ids: a UUIDv7 begins with its time, so a range of ids is a month.
-- Columns of a fixed width are adjacent, which avoids padding.
CREATE TABLE messages (
    message_id   uuid        NOT NULL,
    position     bigint      NOT NULL,
    timestamp    timestamptz NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    room         integer     NOT NULL,
    usr          integer     NOT NULL,
    username     text        NOT NULL CONSTRAINT messages_username_check CHECK (char_length(username) BETWEEN 1 AND 64),
    message_type text        NOT NULL CONSTRAINT messages_type_check CHECK (message_type IN ('TEXT', 'JOIN', 'LEAVE')),
    -- The highest limit that a chat server accepts in its configuration.
    content      text        CONSTRAINT messages_content_check CHECK (char_length(content) <= 4000),
    server_id    text        NOT NULL,
    client_ip    inet,
    display_name text,
    PRIMARY KEY (message_id, room, usr),
    CONSTRAINT messages_text_check CHECK ((content IS NOT NULL) = (message_type = 'TEXT'))
) PARTITION BY RANGE (message_id);

COMMENT ON TABLE messages IS 'Every accepted message, exactly once; one partition per month of the message id';
COMMENT ON COLUMN messages.message_id IS 'Chosen by the client (UUIDv7 advised) or by the chat server; the key together with room and usr';
COMMENT ON COLUMN messages.position IS 'Position in the log: the order in which members received the messages';
COMMENT ON COLUMN messages.timestamp IS 'The chat server''s clock at intake';
COMMENT ON COLUMN messages.created_at IS 'Start of the transaction that stored the row; minus timestamp: the delay';
COMMENT ON COLUMN messages.room IS 'rooms.room. No foreign key, because PostgreSQL would check it for each row';
COMMENT ON COLUMN messages.usr IS 'users.usr. No foreign key, for the same reason';
COMMENT ON COLUMN messages.content IS 'The text; null for JOIN and LEAVE';
COMMENT ON COLUMN messages.server_id IS 'The chat server that accepted the message';
COMMENT ON COLUMN messages.client_ip IS 'The client''s address as the chat server saw it; null if unknown';
COMMENT ON COLUMN messages.display_name IS 'The sender''s display name; null if it equals the username';

-- The consumer adds a partition for each month. Ids whose time is before 2020 or after 2100 are not UUIDv7. They have
-- their own partitions because adding a month scans the default partition, and clients may choose any ids.
CREATE TABLE messages_low PARTITION OF messages
    FOR VALUES FROM (MINVALUE) TO ('016f5e66-e800-0000-0000-000000000000');
CREATE TABLE messages_high PARTITION OF messages
    FOR VALUES FROM ('03bb2cc3-d800-0000-0000-000000000000') TO (MAXVALUE);
CREATE TABLE messages_default PARTITION OF messages DEFAULT;

COMMENT ON TABLE messages_low IS 'Ids whose time is before 2020: not UUIDv7';
COMMENT ON TABLE messages_high IS 'Ids whose time is after 2100: not UUIDv7';
COMMENT ON TABLE messages_default IS 'Ids whose month has no partition';

-- For pages of a room. Not unique: a broker that lost power can lose its last entries and reuse their positions.
CREATE INDEX messages_room_position ON messages (room, position);
-- For a room in a time range, and for a user's history.
CREATE INDEX messages_room_time ON messages (room, timestamp);
CREATE INDEX messages_user_time ON messages (usr, timestamp);
-- For all messages in a time range.
CREATE INDEX messages_time ON messages USING brin (timestamp);

CREATE TABLE log_position (
    partition   integer     NOT NULL PRIMARY KEY,
    position    bigint      NOT NULL,
    epoch       bigint      NOT NULL,
    log_offset  bigint      NOT NULL,
    incarnation bigint      NOT NULL,
    sequence    bigint      NOT NULL,
    drained     boolean     NOT NULL DEFAULT false,
    updated_at  timestamptz NOT NULL DEFAULT now()
);

COMMENT ON TABLE log_position IS 'Position to which each partition of the log is stored; the transaction of the rows moves it by compare-and-set';
COMMENT ON COLUMN log_position.position IS 'The highest position that a message of the last stored entry can have';
COMMENT ON COLUMN log_position.epoch IS 'Epoch of the log: when it was created, in microseconds since 1970';
COMMENT ON COLUMN log_position.log_offset IS 'Offset of the last stored entry';
COMMENT ON COLUMN log_position.incarnation IS 'Incarnation of the server that published the last stored entry; with sequence it identifies the entry';
COMMENT ON COLUMN log_position.sequence IS 'Sequence number of the last stored entry within its incarnation';
COMMENT ON COLUMN log_position.drained IS 'Whether the consumer read the log to its end before it stopped; then no message of an in-memory log is lost';

CREATE TABLE log_gap (
    id            bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    partition     integer     NOT NULL,
    reason        text        NOT NULL,
    from_position bigint      NOT NULL,
    to_position   bigint      NOT NULL,
    recorded_at   timestamptz NOT NULL DEFAULT now(),
    -- The consumer may write the same gap twice. Queries use the index by partition and to_position.
    CONSTRAINT log_gap_range UNIQUE (partition, to_position, from_position, reason)
);

COMMENT ON TABLE log_gap IS 'Ranges of the log that were removed before the consumer stored them';
COMMENT ON COLUMN log_gap.reason IS 'TRUNCATED: removed by retention; REPLACED: the log was replaced or lost its end';
COMMENT ON COLUMN log_gap.from_position IS 'Messages after this position may be missing';
COMMENT ON COLUMN log_gap.to_position IS 'Messages up to and including this position may be missing';

CREATE TABLE dead_letter (
    id          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    message_id  uuid,
    partition   integer     NOT NULL,
    position    bigint      NOT NULL,
    room_id     text,
    user_id     text,
    reason      text        NOT NULL,
    server_id   text,
    client_ip   text,
    bytes       bytea       NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    resolution  text        CHECK (resolution IN ('REPLAYED', 'DISCARDED')),
    resolved_at timestamptz,
    CHECK ((resolution IS NULL) = (resolved_at IS NULL)),
    -- One letter for each message at a position, and one for an unreadable entry, at the position of its first message.
    -- The consumer may write the same letter twice: it cannot store the position of an entry with an unreadable header.
    CONSTRAINT dead_letter_place UNIQUE NULLS NOT DISTINCT (partition, position, message_id)
);
CREATE INDEX dead_letter_open ON dead_letter (id) WHERE resolution IS NULL;
-- For retention.
CREATE INDEX dead_letter_time ON dead_letter (created_at);

COMMENT ON TABLE dead_letter IS 'Messages and entries of the log that could not be stored as rows';
COMMENT ON COLUMN dead_letter.message_id IS 'Null if the letter holds a whole entry';
COMMENT ON COLUMN dead_letter.position IS 'Position of the message, or of the first message of the entry; the offset alone if the entry is unreadable and the epoch was not known yet';
COMMENT ON COLUMN dead_letter.user_id IS 'The sender; null if the letter holds a whole entry';
COMMENT ON COLUMN dead_letter.reason IS 'CONFLICT, SWALLOWED, or the error message of PostgreSQL or the decoder';
COMMENT ON COLUMN dead_letter.server_id IS 'The chat server that accepted the message; null if unknown';
COMMENT ON COLUMN dead_letter.client_ip IS 'The client''s address as the chat server reported it, not validated';
COMMENT ON COLUMN dead_letter.bytes IS 'The message''s JSON, or the whole entry';
COMMENT ON COLUMN dead_letter.resolution IS 'REPLAYED: its messages are stored as rows; DISCARDED: an operator decided not to store them; null: open';
COMMENT ON COLUMN dead_letter.resolved_at IS 'Time of the resolution; null while it is open';

-- Roll-ups, so that queries need not read all messages. The writer only appends to rollup_pending, in the transaction of
-- the rows. A fold adds the pending rows to the other roll-up tables and deletes them, in one transaction.

CREATE TABLE rollup_pending (
    id          bigint  GENERATED ALWAYS AS IDENTITY,
    disorder_ms bigint,
    messages    integer NOT NULL,
    events      bytea   NOT NULL
) WITH (
    -- A batch of a thousand messages is about 6 kB: stored in the row, not in TOAST.
    toast_tuple_target = 8160,
    -- All rows are deleted every few seconds, so the planner needs no statistics.
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 1000000
);
ALTER TABLE rollup_pending ALTER COLUMN events SET STORAGE EXTERNAL;

COMMENT ON TABLE rollup_pending IS 'Stored messages that are not counted yet, one row per batch. Without an index, because the table is short and the writer waits for each insert';
COMMENT ON COLUMN rollup_pending.messages IS 'Number of messages';
COMMENT ON COLUMN rollup_pending.disorder_ms IS 'For messages stored later than messages of higher positions: the maximum disorder of their times in the log, in milliseconds; null: computed from the order of storing';
COMMENT ON COLUMN rollup_pending.events IS 'Time, room and user of each message, in the order of storing, encoded as in EventBytes';

CREATE TABLE rollup_state (
    only_one boolean NOT NULL PRIMARY KEY DEFAULT true CHECK (only_one),
    folds    bigint  NOT NULL,
    messages bigint  NOT NULL,
    expired  bigint  NOT NULL DEFAULT 0,
    as_of    timestamptz
) WITH (fillfactor = 20);
INSERT INTO rollup_state (folds, messages) VALUES (0, 0);

COMMENT ON TABLE rollup_state IS 'Progress of counting';
COMMENT ON COLUMN rollup_state.folds IS 'Number of folds';
COMMENT ON COLUMN rollup_state.messages IS 'Number of messages counted';
COMMENT ON COLUMN rollup_state.expired IS 'Counted messages that were deleted with a room without texts; they stay counted for users and times';
COMMENT ON COLUMN rollup_state.as_of IS 'All messages stored before this time are counted; null: counting is not complete yet';

CREATE TABLE user_room (
    messages bigint      NOT NULL,
    first    timestamptz NOT NULL,
    last     timestamptz NOT NULL,
    usr      integer     NOT NULL,
    room     integer     NOT NULL,
    PRIMARY KEY (usr, room)
) WITH (fillfactor = 80);
COMMENT ON TABLE user_room IS 'Messages of each user in each room';

CREATE TABLE user_total (
    messages bigint      NOT NULL,
    first    timestamptz NOT NULL,
    last     timestamptz NOT NULL,
    usr      integer     NOT NULL PRIMARY KEY,
    rooms    integer     NOT NULL
) WITH (fillfactor = 70);
COMMENT ON TABLE user_total IS 'Messages and rooms of each user';

CREATE TABLE room_total (
    messages    bigint      NOT NULL,
    first       timestamptz NOT NULL,
    last        timestamptz NOT NULL,
    disorder_ms bigint      NOT NULL,
    room        integer     NOT NULL PRIMARY KEY,
    users       integer     NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE room_total IS 'Messages and users of each room';
COMMENT ON COLUMN room_total.disorder_ms IS 'Maximum time in milliseconds by which a message is older than one before it; bounds the positions of a time range';

CREATE TABLE activity (
    start       timestamptz NOT NULL,
    messages    bigint      NOT NULL,
    span        integer     NOT NULL,
    users       integer     NOT NULL,
    rooms       integer     NOT NULL,
    seconds     integer[],
    user_counts bytea       NOT NULL,
    room_counts bytea       NOT NULL,
    PRIMARY KEY (span, start),
    CHECK (CASE WHEN span = 60 THEN coalesce(cardinality(seconds), 0) = 60 ELSE seconds IS NULL END)
) WITH (fillfactor = 70);
ALTER TABLE activity ALTER COLUMN user_counts SET STORAGE EXTERNAL, ALTER COLUMN room_counts SET STORAGE EXTERNAL;
COMMENT ON TABLE activity IS 'Messages in each span of time that has messages';
COMMENT ON COLUMN activity.span IS 'Length in seconds: 60, 600, 3600 or 86400; each span begins at a multiple of its length, in UTC';
COMMENT ON COLUMN activity.users IS 'Distinct users';
COMMENT ON COLUMN activity.seconds IS 'Messages in each second of a minute; null for longer spans';
COMMENT ON COLUMN activity.user_counts IS 'Messages of each user, encoded as in CountBytes';
COMMENT ON COLUMN activity.room_counts IS 'Messages in each room, encoded as in CountBytes';

CREATE TABLE activity_detail (
    minute timestamptz NOT NULL,
    fold   bigint      NOT NULL,
    events bytea       NOT NULL,
    PRIMARY KEY (minute, fold)
);
ALTER TABLE activity_detail ALTER COLUMN events SET STORAGE EXTERNAL;
COMMENT ON TABLE activity_detail IS 'Time, room and user of each message, five or six bytes each; needed for a range that begins or ends within a minute';
COMMENT ON COLUMN activity_detail.fold IS 'Number of the fold that wrote the row; folds never update rows';

CREATE TABLE view_refresh (
    view_name    text        NOT NULL PRIMARY KEY,
    as_of        timestamptz,
    refreshed_at timestamptz NOT NULL,
    millis       bigint      NOT NULL,
    folds        bigint      NOT NULL
);
COMMENT ON TABLE view_refresh IS 'Last refresh of each materialized view';
COMMENT ON COLUMN view_refresh.as_of IS 'The view includes all messages stored before this time';
COMMENT ON COLUMN view_refresh.millis IS 'Duration of the refresh';
COMMENT ON COLUMN view_refresh.folds IS 'rollup_state.folds at the refresh; while it is unchanged, no refresh is needed';

CREATE MATERIALIZED VIEW user_stats AS
SELECT u.user_id, t.messages AS message_count, t.rooms AS rooms_participated, t.first AS first_message, t.last AS last_message
FROM user_total t JOIN users u USING (usr);
CREATE UNIQUE INDEX user_stats_user ON user_stats (user_id);
CREATE INDEX user_stats_top ON user_stats (message_count DESC, user_id);
COMMENT ON MATERIALIZED VIEW user_stats IS 'Messages grouped by user, as of view_refresh';

CREATE MATERIALIZED VIEW room_stats AS
SELECT r.room_id, t.messages AS message_count, t.users AS unique_users, t.first AS first_message, t.last AS last_activity
FROM room_total t JOIN rooms r USING (room);
CREATE UNIQUE INDEX room_stats_room ON room_stats (room_id);
CREATE INDEX room_stats_top ON room_stats (message_count DESC, room_id);
COMMENT ON MATERIALIZED VIEW room_stats IS 'Messages grouped by room, as of view_refresh';

CREATE MATERIALIZED VIEW hourly_stats AS
SELECT start AS hour, messages AS message_count, users AS unique_users, rooms AS active_rooms
FROM activity WHERE span = 3600;
CREATE UNIQUE INDEX hourly_stats_hour ON hourly_stats (hour);
COMMENT ON MATERIALIZED VIEW hourly_stats IS 'Messages grouped by hour (UTC), as of view_refresh';

-- Histograms of users by number of rooms and by number of messages; the buckets are powers of two.
CREATE MATERIALIZED VIEW participation_stats AS
SELECT measure, 1::bigint << (width_bucket(amount, steps) - 1) AS at_least, count(*) AS users
FROM user_total
CROSS JOIN (SELECT array_agg(1::bigint << i ORDER BY i) AS steps FROM generate_series(0, 61) AS i) AS s
CROSS JOIN LATERAL (VALUES ('rooms', rooms::bigint), ('messages', messages)) AS m(measure, amount)
GROUP BY measure, at_least;
CREATE UNIQUE INDEX participation_stats_step ON participation_stats (measure, at_least);
COMMENT ON MATERIALIZED VIEW participation_stats IS 'Number of users whose rooms, or messages, number at least at_least and less than twice that';

-- Counts all messages again. It blocks storing: stop the consumer first, and check view_refresh afterwards.
CREATE FUNCTION rollup_rebuild() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    pending bigint;
BEGIN
    LOCK TABLE messages IN SHARE MODE;
    PERFORM pg_advisory_xact_lock(4859223908955586561);
    TRUNCATE rollup_pending, user_room, user_total, room_total, activity, activity_detail;
    UPDATE rollup_state SET folds = folds + 1, messages = 0, expired = 0, as_of = NULL;
    INSERT INTO rollup_pending (messages, events)
    SELECT count(*), '\x00'::bytea || string_agg(int8send(ms) || int4send(room) || int4send(usr), ''::bytea ORDER BY number)
    FROM (SELECT (extract(epoch FROM timestamp) * 1000)::bigint AS ms, room, usr, row_number() OVER (ORDER BY position) AS number
          FROM messages) AS m
    GROUP BY (number - 1) / 10000
    ORDER BY min(number);
    SELECT coalesce(sum(messages), 0) INTO pending FROM rollup_pending;
    RETURN pending;
END $$;
COMMENT ON FUNCTION rollup_rebuild IS 'Makes the next folds count all messages again; returns the number of messages';
