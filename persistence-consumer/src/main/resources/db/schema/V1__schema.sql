-- Tables of the consumer. docs/reference/schema.md gives reasons and measurements.

-- Rooms and users are numbers in the other tables.
CREATE TABLE rooms (
    room    integer NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    room_id text    NOT NULL UNIQUE CHECK (char_length(room_id) BETWEEN 1 AND 64)
);

COMMENT ON TABLE rooms IS 'Every room that has a message. A number always means the same room: it is deleted with the room, and never given again';
COMMENT ON COLUMN rooms.room IS 'Stands for the room in other tables; the numbers have holes';
COMMENT ON COLUMN rooms.room_id IS 'The name that clients know';

-- The consumer deletes a room's number when nothing uses it. That raises the epoch, and writers whose cached numbers are of
-- an earlier epoch look them up again.
CREATE TABLE numbering (
    only_one boolean NOT NULL PRIMARY KEY DEFAULT true CHECK (only_one),
    epoch    bigint  NOT NULL
);
INSERT INTO numbering (epoch) VALUES (0);

COMMENT ON TABLE numbering IS 'Which numbers of rooms writers may still remember';
COMMENT ON COLUMN numbering.epoch IS 'Raised whenever numbers of rooms were deleted';

CREATE TABLE users (
    usr     integer NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id text    NOT NULL UNIQUE CHECK (char_length(user_id) BETWEEN 1 AND 128)
);

COMMENT ON TABLE users IS 'Every user who has a message; rows never change and are never deleted';
COMMENT ON COLUMN users.usr IS 'Stands for the user in other tables; the numbers have holes';
COMMENT ON COLUMN users.user_id IS 'The name that clients know';

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
    -- The maximum that a chat server can be configured to accept.
    content      text        CONSTRAINT messages_content_check CHECK (char_length(content) <= 4000),
    server_id    text        NOT NULL,
    client_ip    inet,
    display_name text,
    PRIMARY KEY (message_id, room, usr),
    CONSTRAINT messages_text_check CHECK ((content IS NOT NULL) = (message_type = 'TEXT'))
) PARTITION BY RANGE (message_id);

COMMENT ON TABLE messages IS 'Every accepted message, exactly once; a partition for each month of the ids';
COMMENT ON COLUMN messages.message_id IS 'Chosen by the client (UUIDv7 advised) or by the chat server; the key together with room and usr';
COMMENT ON COLUMN messages.position IS 'Place in the log: the order in which everybody in the room saw it';
COMMENT ON COLUMN messages.timestamp IS 'The chat server''s clock at intake';
COMMENT ON COLUMN messages.created_at IS 'When it was stored; minus timestamp: how long that took';
COMMENT ON COLUMN messages.room IS 'rooms.room. No foreign key: PostgreSQL would check it row by row';
COMMENT ON COLUMN messages.usr IS 'users.usr; no foreign key either';
COMMENT ON COLUMN messages.content IS 'The text; null for JOIN and LEAVE';
COMMENT ON COLUMN messages.server_id IS 'The chat server that accepted it';
COMMENT ON COLUMN messages.client_ip IS 'Its client''s address, as that server saw it; null where unknown';
COMMENT ON COLUMN messages.display_name IS 'The sender''s name as clients show it; null where it is the username';

-- The consumer adds the months. Ids from before 2020 and after 2100 are not UUIDv7. They have partitions of
-- their own, so that adding a month, which scans the default partition, stays fast for any ids that clients choose.
CREATE TABLE messages_low PARTITION OF messages
    FOR VALUES FROM (MINVALUE) TO ('016f5e66-e800-0000-0000-000000000000');
CREATE TABLE messages_high PARTITION OF messages
    FOR VALUES FROM ('03bb2cc3-d800-0000-0000-000000000000') TO (MAXVALUE);
CREATE TABLE messages_default PARTITION OF messages DEFAULT;

COMMENT ON TABLE messages_low IS 'Ids that begin with a time before 2020: not UUIDv7';
COMMENT ON TABLE messages_high IS 'Ids that begin with a time after 2100: not UUIDv7';
COMMENT ON TABLE messages_default IS 'Ids that begin with a time for which there is no month';

-- Pages of a room. Not unique: a broker that lost power can lose its last entries and reuse their positions.
CREATE INDEX messages_room_position ON messages (room, position);
-- A room in a time range; a user's history.
CREATE INDEX messages_room_time ON messages (room, timestamp);
CREATE INDEX messages_user_time ON messages (usr, timestamp);
-- Everything in a time range.
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
    -- One for each message at a position, and one for the whole entry, which has the position of its first message.
    -- The consumer can write one twice: it can neither decode the header of an unreadable entry nor store its position.
    CONSTRAINT dead_letter_place UNIQUE NULLS NOT DISTINCT (partition, position, message_id)
);
CREATE INDEX dead_letter_open ON dead_letter (id) WHERE resolution IS NULL;
-- Retention.
CREATE INDEX dead_letter_time ON dead_letter (created_at);

COMMENT ON TABLE dead_letter IS 'Entries and messages of the log that could not become rows';
COMMENT ON COLUMN dead_letter.message_id IS 'Null where the whole entry could not be read';
COMMENT ON COLUMN dead_letter.position IS 'Of the message, or of the entry; of an unreadable entry in a log whose origin was not known yet, its bare offset';
COMMENT ON COLUMN dead_letter.user_id IS 'The sender; null where the whole entry could not be read';
COMMENT ON COLUMN dead_letter.reason IS 'CONFLICT, SWALLOWED, or what PostgreSQL or the decoder said';
COMMENT ON COLUMN dead_letter.server_id IS 'The chat server that accepted the message; null where that is not known';
COMMENT ON COLUMN dead_letter.client_ip IS 'As that server gave it, valid or not';
COMMENT ON COLUMN dead_letter.bytes IS 'The message''s JSON, or the whole entry';
COMMENT ON COLUMN dead_letter.resolution IS 'REPLAYED: it is a row now, or always was; DISCARDED: an operator decided that it need not be; null: open';
COMMENT ON COLUMN dead_letter.resolved_at IS 'When that was';

-- Roll-ups of messages, so that no query has to read them all. The writer only appends to rollup_pending, in
-- the transaction of the rows; a fold adds what is pending to all other tables here and deletes it, in one transaction.

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

COMMENT ON TABLE rollup_pending IS 'New rows of messages that are not counted yet, a row for each batch. No index on purpose: it is short, and the writer waits for it';
COMMENT ON COLUMN rollup_pending.messages IS 'How many';
COMMENT ON COLUMN rollup_pending.disorder_ms IS 'Of what was stored behind its place: by how much its times are in disorder there, at most; null: as the order of storing says';
COMMENT ON COLUMN rollup_pending.events IS 'Time, room and user of each, in the order they were stored: see EventBytes';

CREATE TABLE rollup_state (
    only_one boolean NOT NULL PRIMARY KEY DEFAULT true CHECK (only_one),
    folds    bigint  NOT NULL,
    messages bigint  NOT NULL,
    expired  bigint  NOT NULL DEFAULT 0,
    as_of    timestamptz
) WITH (fillfactor = 20);
INSERT INTO rollup_state (folds, messages) VALUES (0, 0);

COMMENT ON TABLE rollup_state IS 'How far counting is';
COMMENT ON COLUMN rollup_state.folds IS 'How often something was added';
COMMENT ON COLUMN rollup_state.messages IS 'Messages counted so far';
COMMENT ON COLUMN rollup_state.expired IS 'Those of them that were deleted with a room without texts: they stay counted for users and times';
COMMENT ON COLUMN rollup_state.as_of IS 'All that was stored before this moment is counted; null: not everything is yet';

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
COMMENT ON COLUMN room_total.disorder_ms IS 'By how much the time of a message was behind that of one stored before it, at most: bounds the positions of a time range';

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
COMMENT ON TABLE activity IS 'Messages in each span of time that had any';
COMMENT ON COLUMN activity.span IS 'Its length in seconds: 60, 600, 3600, 86400; all begin at multiples of it, in UTC';
COMMENT ON COLUMN activity.users IS 'Distinct users';
COMMENT ON COLUMN activity.seconds IS 'Messages in each second of a minute; null for longer spans';
COMMENT ON COLUMN activity.user_counts IS 'Messages of each user: see CountBytes';
COMMENT ON COLUMN activity.room_counts IS 'Messages in each room: see CountBytes';

CREATE TABLE activity_detail (
    minute timestamptz NOT NULL,
    fold   bigint      NOT NULL,
    events bytea       NOT NULL,
    PRIMARY KEY (minute, fold)
);
ALTER TABLE activity_detail ALTER COLUMN events SET STORAGE EXTERNAL;
COMMENT ON TABLE activity_detail IS 'Time, room and user of each message, in five or six bytes: for the ends of a range that lie within a minute';
COMMENT ON COLUMN activity_detail.fold IS 'Which fold wrote it: parts are only added';

CREATE TABLE view_refresh (
    view_name    text        NOT NULL PRIMARY KEY,
    as_of        timestamptz,
    refreshed_at timestamptz NOT NULL,
    millis       bigint      NOT NULL,
    folds        bigint      NOT NULL
);
COMMENT ON TABLE view_refresh IS 'When each materialized view was refreshed last';
COMMENT ON COLUMN view_refresh.as_of IS 'All that was stored before this moment is in it';
COMMENT ON COLUMN view_refresh.millis IS 'How long that took';
COMMENT ON COLUMN view_refresh.folds IS 'What rollup_state.folds was: unchanged, there is nothing to refresh';

CREATE MATERIALIZED VIEW user_stats AS
SELECT u.user_id, t.messages AS message_count, t.rooms AS rooms_participated, t.first AS first_message, t.last AS last_message
FROM user_total t JOIN users u USING (usr);
CREATE UNIQUE INDEX user_stats_user ON user_stats (user_id);
CREATE INDEX user_stats_top ON user_stats (message_count DESC, user_id);
COMMENT ON MATERIALIZED VIEW user_stats IS 'GROUP BY user over messages, as of view_refresh';

CREATE MATERIALIZED VIEW room_stats AS
SELECT r.room_id, t.messages AS message_count, t.users AS unique_users, t.first AS first_message, t.last AS last_activity
FROM room_total t JOIN rooms r USING (room);
CREATE UNIQUE INDEX room_stats_room ON room_stats (room_id);
CREATE INDEX room_stats_top ON room_stats (message_count DESC, room_id);
COMMENT ON MATERIALIZED VIEW room_stats IS 'GROUP BY room over messages, as of view_refresh';

CREATE MATERIALIZED VIEW hourly_stats AS
SELECT start AS hour, messages AS message_count, users AS unique_users, rooms AS active_rooms
FROM activity WHERE span = 3600;
CREATE UNIQUE INDEX hourly_stats_hour ON hourly_stats (hour);
COMMENT ON MATERIALIZED VIEW hourly_stats IS 'GROUP BY hour (UTC) over messages, as of view_refresh';

-- Users by how many rooms, and by how many messages, in steps of powers of two.
CREATE MATERIALIZED VIEW participation_stats AS
SELECT measure, 1::bigint << (width_bucket(amount, steps) - 1) AS at_least, count(*) AS users
FROM user_total
CROSS JOIN (SELECT array_agg(1::bigint << i ORDER BY i) AS steps FROM generate_series(0, 61) AS i) AS s
CROSS JOIN LATERAL (VALUES ('rooms', rooms::bigint), ('messages', messages)) AS m(measure, amount)
GROUP BY measure, at_least;
CREATE UNIQUE INDEX participation_stats_step ON participation_stats (measure, at_least);
COMMENT ON MATERIALIZED VIEW participation_stats IS 'How many users have so many rooms, or messages: at least this many and less than twice';

-- Counts all messages again. Storing waits until it is done: stop the consumer first, and check view_refresh afterwards.
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
COMMENT ON FUNCTION rollup_rebuild IS 'Counts all messages again, in folds that follow; returns how many messages there are';
