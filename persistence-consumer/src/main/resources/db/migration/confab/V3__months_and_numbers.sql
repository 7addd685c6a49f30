-- Rooms and users as numbers, and messages by month. docs/schema.md gives the reasons and what was measured.

CREATE TABLE rooms (
    room    integer NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    room_id text    NOT NULL UNIQUE CHECK (length(room_id) BETWEEN 1 AND 64)
);

COMMENT ON TABLE rooms IS 'Every room that has a message; rows are never changed or deleted, so a number means one room for ever';
COMMENT ON COLUMN rooms.room IS 'What stands for the room in other tables; numbers have holes';
COMMENT ON COLUMN rooms.room_id IS 'The name that clients know';

CREATE TABLE users (
    usr     integer NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id text    NOT NULL UNIQUE CHECK (length(user_id) BETWEEN 1 AND 64)
);

COMMENT ON TABLE users IS 'Every user who has a message; rows are never changed or deleted';
COMMENT ON COLUMN users.usr IS 'What stands for the user in other tables; numbers have holes';
COMMENT ON COLUMN users.user_id IS 'The name that clients know';

DROP INDEX messages_room_position, messages_room_time, messages_user_time, messages_user_room_time, messages_time;
ALTER TABLE messages RENAME TO messages_before;
ALTER TABLE messages_before RENAME CONSTRAINT messages_pkey TO messages_before_pkey;

-- The key is the id alone, which a partitioned table allows only where partitions are ranges of it. A UUIDv7 begins with
-- its time, so a range of ids is a month. The order of the columns keeps the fixed-width ones together: no padding.
CREATE TABLE messages (
    message_id   uuid        NOT NULL,
    position     bigint      NOT NULL,
    timestamp    timestamptz NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    room         integer     NOT NULL,
    usr          integer     NOT NULL,
    username     text        NOT NULL CONSTRAINT messages_username_check CHECK (length(username) BETWEEN 1 AND 64),
    message_type text        NOT NULL CONSTRAINT messages_type_check CHECK (message_type IN ('TEXT', 'JOIN', 'LEAVE')),
    -- Chat servers allow 500 characters, at most 2,000 bytes, unless told otherwise.
    content      text        CONSTRAINT messages_content_check CHECK (octet_length(content) <= 2400),
    server_id    text        NOT NULL,
    client_ip    inet,
    PRIMARY KEY (message_id),
    CONSTRAINT messages_text_check CHECK ((content IS NOT NULL) = (message_type = 'TEXT'))
) PARTITION BY RANGE (message_id);

COMMENT ON TABLE messages IS 'Every accepted message, exactly once; a partition for each month of the ids';
COMMENT ON COLUMN messages.message_id IS 'Made by the client (UUIDv7 advised) or by the chat server; sent twice it is stored once';
COMMENT ON COLUMN messages.position IS 'Place in the log: the order in which everybody in the room saw it';
COMMENT ON COLUMN messages.timestamp IS 'The chat server''s clock when it took the message in';
COMMENT ON COLUMN messages.created_at IS 'When it was stored; minus timestamp: how long that took';
COMMENT ON COLUMN messages.room IS 'rooms.room. No foreign key: it would be checked row by row, and rooms never go';
COMMENT ON COLUMN messages.usr IS 'users.usr; no foreign key either';
COMMENT ON COLUMN messages.content IS 'What was said; null for JOIN and LEAVE';
COMMENT ON COLUMN messages.server_id IS 'The chat server that took it in';
COMMENT ON COLUMN messages.client_ip IS 'Where it came from, as that server saw it; null where unknown';

-- The consumer adds the months. Ids from before 2020 and after 2100 are no UUIDv7: apart from the default partition, so
-- that adding a month, which looks for rows of it there, has little to look through whatever ids clients make.
CREATE TABLE messages_low PARTITION OF messages
    FOR VALUES FROM (MINVALUE) TO ('016f5e66-e800-0000-0000-000000000000');
CREATE TABLE messages_high PARTITION OF messages
    FOR VALUES FROM ('03bb2cc3-d800-0000-0000-000000000000') TO (MAXVALUE);
CREATE TABLE messages_default PARTITION OF messages DEFAULT;

COMMENT ON TABLE messages_low IS 'Ids that begin with a time before 2020: not UUIDv7';
COMMENT ON TABLE messages_high IS 'Ids that begin with a time after 2100: not UUIDv7';
COMMENT ON TABLE messages_default IS 'Ids that begin with a time for which there is no month';

INSERT INTO rooms (room_id) SELECT DISTINCT room_id FROM messages_before ORDER BY room_id;
INSERT INTO users (user_id) SELECT DISTINCT user_id FROM messages_before ORDER BY user_id;
INSERT INTO messages (message_id, position, timestamp, created_at, room, usr, username, message_type, content, server_id, client_ip)
SELECT message_id, position, timestamp, created_at, room, usr, username, message_type, content, server_id, client_ip
FROM messages_before JOIN rooms USING (room_id) JOIN users USING (user_id)
ORDER BY message_id;
DROP TABLE messages_before;

-- Pages of a room. Not unique: a broker that lost power can lose its last entries and give their places to others.
CREATE INDEX messages_room_position ON messages (room, position);
-- A room in a time range; a user's history.
CREATE INDEX messages_room_time ON messages (room, timestamp);
CREATE INDEX messages_user_time ON messages (usr, timestamp);
-- Everything in a time range.
CREATE INDEX messages_time ON messages USING brin (timestamp);

-- What was refused can be stored later, with all that is known of it, or be put aside.
ALTER TABLE dead_letter
    ADD COLUMN server_id   text,
    ADD COLUMN client_ip   text,
    ADD COLUMN resolution  text CHECK (resolution IN ('REPLAYED', 'DISCARDED')),
    ADD COLUMN resolved_at timestamptz,
    ADD CHECK ((resolution IS NULL) = (resolved_at IS NULL));
CREATE INDEX dead_letter_open ON dead_letter (id) WHERE resolution IS NULL;

COMMENT ON COLUMN dead_letter.server_id IS 'The chat server that took the message in; null where that is not known';
COMMENT ON COLUMN dead_letter.client_ip IS 'As that server gave it, valid or not';
COMMENT ON COLUMN dead_letter.resolution IS 'REPLAYED: it is a row now, or always was; DISCARDED: somebody decided that it need not be; null: open';
COMMENT ON COLUMN dead_letter.resolved_at IS 'When that was';
