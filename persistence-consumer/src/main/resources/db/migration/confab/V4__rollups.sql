-- What is counted of messages, so that no question has to read them all. The writer only appends to rollup_pending, in
-- the transaction of the rows; a fold adds what is pending to all other tables here and deletes it, in one transaction.

CREATE TABLE rollup_pending (
    id       bigint  GENERATED ALWAYS AS IDENTITY,
    messages integer NOT NULL,
    events   bytea   NOT NULL
) WITH (
    -- A batch of a thousand is about 6 kB: in the row, not beside it.
    toast_tuple_target = 8160,
    -- All of it is deleted every few seconds; nothing has to be known of it.
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 1000000
);
ALTER TABLE rollup_pending ALTER COLUMN events SET STORAGE EXTERNAL;

COMMENT ON TABLE rollup_pending IS 'New rows of messages that are not counted yet, a row for each batch. No index on purpose: it is short, and the writer waits for it';
COMMENT ON COLUMN rollup_pending.messages IS 'How many';
COMMENT ON COLUMN rollup_pending.events IS 'Time, room and user of each, in the order they were stored: see EventBytes';

CREATE TABLE rollup_state (
    only_one boolean NOT NULL PRIMARY KEY DEFAULT true CHECK (only_one),
    folds    bigint  NOT NULL,
    messages bigint  NOT NULL,
    as_of    timestamptz
) WITH (fillfactor = 20);
INSERT INTO rollup_state (folds, messages) VALUES (0, 0);

COMMENT ON TABLE rollup_state IS 'How far counting is';
COMMENT ON COLUMN rollup_state.folds IS 'How often something was added';
COMMENT ON COLUMN rollup_state.messages IS 'Messages counted so far';
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

-- Counts everything anew. Storing waits meanwhile; stop the consumer before, and look at view_refresh afterwards.
CREATE FUNCTION rollup_rebuild() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    pending bigint;
BEGIN
    LOCK TABLE messages IN SHARE MODE;
    PERFORM pg_advisory_xact_lock(4859223908955586561);
    TRUNCATE rollup_pending, user_room, user_total, room_total, activity, activity_detail;
    UPDATE rollup_state SET folds = folds + 1, messages = 0, as_of = NULL;
    INSERT INTO rollup_pending (messages, events)
    SELECT count(*), '\x00'::bytea || string_agg(int8send(ms) || int4send(room) || int4send(usr), ''::bytea ORDER BY number)
    FROM (SELECT (extract(epoch FROM timestamp) * 1000)::bigint AS ms, room, usr, row_number() OVER (ORDER BY position) AS number
          FROM messages) AS m
    GROUP BY (number - 1) / 10000
    ORDER BY min(number);
    SELECT coalesce(sum(messages), 0) INTO pending FROM rollup_pending;
    RETURN pending;
END $$;
COMMENT ON FUNCTION rollup_rebuild IS 'Counts everything anew, in folds that follow; returns how many messages there are';

SELECT rollup_rebuild();
