package chat.persistence.analytics;

import chat.persistence.analytics.HistoryRequest.Times;
import chat.protocol.Member;
import chat.protocol.MessageType;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads a user's messages in all rooms, ordered by time. Blocking; thread-safe. */
final class UserHistory {
    private static final String CURSOR = "must be the value of next in an earlier page";

    private final Snapshots snapshots;

    UserHistory(Snapshots snapshots) {
        this.snapshots = snapshots;
    }

    /**
     * A point between two messages. Times can be equal, and so can positions, since each partition has its own.
     *
     * @param id null: before or after all messages of this time and position
     */
    record Cursor(long millis, long position, @Nullable UUID id) {
        /** 9999-12-31, the latest time accepted. */
        private static final long LAST_MILLIS = 253_402_300_799_999L;

        /** After all messages. */
        private static final Cursor END = new Cursor(LAST_MILLIS, Long.MAX_VALUE, null);

        static @Nullable Cursor parse(String text) {
            String[] words = text.split("-", 3);
            if (words.length < 2) return null;
            Long millis = HistoryRequest.position(words[0]);
            Long position = HistoryRequest.position(words[1]);
            if (millis == null || position == null || millis > LAST_MILLIS) return null;
            if (words.length == 2) return new Cursor(millis, position, null);
            UUID id = id(words[2]);
            return id == null ? null : new Cursor(millis, position, id);
        }

        /** Accepts only the form used in responses: the JDK's parser would accept others. */
        private static @Nullable UUID id(String text) {
            try {
                UUID id = UUID.fromString(text);
                return id.toString().equals(text) ? id : null;
            } catch (IllegalArgumentException notAnId) {
                return null;
            }
        }

        @Override
        public String toString() {
            return millis + "-" + position + (id == null ? "" : "-" + id);
        }
    }

    /**
     * @param cursor null: from the beginning or the end
     * @param backwards reads the last messages below the cursor instead of the first above it
     */
    record Query(
            String userId, @Nullable Cursor cursor, boolean backwards, Times times, int limit, Set<MessageType> types) {
        static Query read(RequestParams words) {
            String user = user(words);
            Cursor after = words.read("after", CURSOR, Cursor::parse);
            Cursor before = words.read("before", CURSOR + ", or \"end\"", Query::before);
            HistoryRequest.excludeEachOther(words);
            return new Query(
                    user,
                    before == null ? after : before,
                    before != null,
                    Times.of(words),
                    words.limit(HistoryRequest.DEFAULT_LIMIT, HistoryRequest.MAX_LIMIT),
                    HistoryRequest.types(words));
        }

        private static @Nullable Cursor before(String text) {
            return text.equals("end") ? Cursor.END : Cursor.parse(text);
        }

        static String user(RequestParams words) {
            String user = words.inPath("userId");
            // In open mode user ids are numbers; otherwise the token's claim defines them.
            if (!Member.isUserId(user)) words.wrong("userId must be " + Member.USER_ID_RULE);
            return user;
        }
    }

    /**
     * @param displayName absent if the user has only a username
     * @param timestamp of intake, milliseconds since 1970
     */
    record Message(
            String roomId,
            String position,
            String messageId,
            String messageType,
            String username,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String displayName,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String message,

            long timestamp,
            String serverId) {
        Cursor cursor() {
            return new Cursor(timestamp, Long.parseLong(position), UUID.fromString(messageId));
        }
    }

    /**
     * @param username from the user's last message; absent if there is none
     * @param displayName from the user's last message; absent if the user has only a username
     * @param messages by ascending time, in either paging direction
     * @param next value of {@code after} or {@code before} for the next page; null on the last page
     */
    record Page(
            String userId,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String username,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String displayName,

            List<Message> messages,
            @Nullable String next) {}

    /** A user's current names. */
    private record Names(
            @Nullable String username, @Nullable String displayName) {}

    /** Reads the last message by time, using an index. */
    private static Names names(Connection connection, String userId) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT username, display_name FROM messages WHERE usr = (SELECT usr FROM users WHERE user_id = ?)
                ORDER BY timestamp DESC LIMIT 1""")) {
            select.setString(1, userId);
            try (ResultSet rows = select.executeQuery()) {
                return rows.next() ? new Names(rows.getString(1), rows.getString(2)) : new Names(null, null);
            }
        }
    }

    Aged<Page> find(Query query) throws SQLException {
        return snapshots.read(connection -> {
            List<Message> messages = messages(connection, query);
            boolean more = messages.size() > query.limit();
            if (more) messages.removeLast();
            String next = more ? messages.getLast().cursor().toString() : null;
            Names names = names(connection, query.userId());
            return Aged.ofMessages(
                    connection,
                    new Page(
                            query.userId(),
                            names.username(),
                            names.displayName(),
                            query.backwards() ? messages.reversed() : messages,
                            next));
        });
    }

    private static OffsetDateTime time(long millis) {
        return Instant.ofEpochMilli(millis).atOffset(ZoneOffset.UTC);
    }

    private static void andBeyond(PageSelect page, Cursor cursor, boolean backwards) {
        String beyond = backwards ? "<" : ">";
        UUID id = cursor.id();
        if (id == null)
            page.and("(timestamp, position) " + beyond + " (?, ?)", time(cursor.millis()), cursor.position());
        else
            page.and(
                    "(timestamp, position, message_id) " + beyond + " (?, ?, ?)",
                    time(cursor.millis()),
                    cursor.position(),
                    id);
    }

    /** Reads in the direction of paging, one message more than the limit if more follow. */
    private static List<Message> messages(Connection connection, Query query) throws SQLException {
        PageSelect page = new PageSelect("""
                SELECT timestamp, position, message_id, message_type, room, username, display_name, content, server_id
                FROM messages WHERE usr = (SELECT usr FROM users WHERE user_id = ?)""", query.userId());
        Cursor cursor = query.cursor();
        if (cursor != null) andBeyond(page, cursor, query.backwards());
        if (query.times().from() != null)
            page.and("timestamp >= ?", query.times().from());
        if (query.times().to() != null) page.and("timestamp < ?", query.times().to());
        page.andTypes(connection, query.types());
        String order = query.backwards()
                ? "timestamp DESC, position DESC, message_id DESC"
                : "timestamp, position, message_id";
        return page.rows(
                connection,
                """
                timestamp, position, message_id, message_type, (SELECT room_id FROM rooms WHERE rooms.room = m.room),
                username, display_name, content, server_id""",
                order,
                order,
                query.limit(),
                row -> new Message(
                        row.getString(5),
                        Long.toString(row.getLong(2)),
                        row.getObject(3, UUID.class).toString(),
                        row.getString(4),
                        row.getString(6),
                        row.getString(7),
                        row.getString(8),
                        row.getObject(1, OffsetDateTime.class).toInstant().toEpochMilli(),
                        row.getString(9)));
    }
}
