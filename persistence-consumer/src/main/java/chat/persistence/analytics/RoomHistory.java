package chat.persistence.analytics;

import chat.persistence.analytics.HistoryPage.Gap;
import chat.persistence.analytics.HistoryPage.Message;
import chat.persistence.analytics.HistoryQuery.Page;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A room's messages from the database. Blocking; thread-safe. */
public final class RoomHistory {
    /** Gaps are rare; so many in one answer say the same as more would. */
    private static final int MAX_GAPS = 100;

    private final DataSource reading;
    private final int partitions;

    /**
     * @param reading connections without auto-commit whose transactions see one snapshot
     * @param partitions of the log
     */
    public RoomHistory(DataSource reading, int partitions) {
        this.reading = reading;
        this.partitions = partitions;
    }

    HistoryPage find(HistoryQuery query) throws SQLException {
        int partition = query.room().partition(partitions);
        try (Connection connection = reading.getConnection()) {
            // First of all: it tells up to where the rows that the same snapshot shows are complete.
            Long storedThrough = storedThrough(connection, partition);
            List<Message> messages = messages(connection, query);
            boolean more = messages.size() > query.limit();
            if (more) messages.removeLast();
            HistoryPage answer = switch (query.page()) {
                case Page.After after -> {
                    String next = more ? messages.getLast().position() : null;
                    long to = next == null ? Long.MAX_VALUE : Long.parseLong(next);
                    yield page(query, messages, next, storedThrough, gaps(connection, partition, after.position(), to));
                }
                case Page.Before before -> {
                    List<Message> ascending = messages.reversed();
                    String next = more ? ascending.getFirst().position() : null;
                    long from = next == null ? 0 : Long.parseLong(next);
                    yield page(
                            query,
                            ascending,
                            next,
                            storedThrough,
                            gaps(connection, partition, from, before.position()));
                }
            };
            connection.commit();
            return answer;
        }
    }

    private static HistoryPage page(
            HistoryQuery query,
            List<Message> messages,
            @Nullable String next,
            @Nullable Long storedThrough,
            List<Gap> gaps) {
        return new HistoryPage(
                query.room().value(), messages, next, storedThrough == null ? null : storedThrough.toString(), gaps);
    }

    private static @Nullable Long storedThrough(Connection connection, int partition) throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement("SELECT position FROM log_position WHERE partition = ?")) {
            select.setInt(1, partition);
            try (ResultSet rows = select.executeQuery()) {
                return rows.next() ? rows.getLong(1) : null;
            }
        }
    }

    /** In the direction of the pages, with one more than the limit where there is one more. */
    private static List<Message> messages(Connection connection, HistoryQuery query) throws SQLException {
        boolean forwards = query.page() instanceof Page.After;
        List<Object> values = new ArrayList<>();
        StringBuilder sql = new StringBuilder("""
                SELECT position, message_id, message_type, user_id, username, content, timestamp, server_id
                FROM messages JOIN users USING (usr)
                WHERE room = (SELECT room FROM rooms WHERE room_id = ?)""");
        values.add(query.room().value());
        switch (query.page()) {
            case Page.After after -> and(sql, values, "position > ?", after.position());
            case Page.Before before -> and(sql, values, "position < ?", before.position());
        }
        if (query.from() != null) and(sql, values, "timestamp >= ?", query.from());
        if (query.to() != null) and(sql, values, "timestamp < ?", query.to());
        if (!query.types().isEmpty())
            and(
                    sql,
                    values,
                    "message_type = ANY (?)",
                    connection.createArrayOf(
                            "text", query.types().stream().map(Enum::name).toArray()));
        sql.append(forwards ? " ORDER BY position" : " ORDER BY position DESC").append(" LIMIT ?");
        values.add(query.limit() + 1);
        try (PreparedStatement select = connection.prepareStatement(sql.toString())) {
            for (int i = 0; i < values.size(); i++) select.setObject(i + 1, values.get(i));
            List<Message> messages = new ArrayList<>();
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next())
                    messages.add(new Message(
                            Long.toString(rows.getLong(1)),
                            rows.getObject(2, UUID.class).toString(),
                            rows.getString(3),
                            rows.getString(4),
                            rows.getString(5),
                            rows.getString(6),
                            rows.getObject(7, OffsetDateTime.class).toInstant().toEpochMilli(),
                            rows.getString(8)));
            }
            return messages;
        }
    }

    private static void and(StringBuilder sql, List<Object> values, String condition, Object value) {
        sql.append(" AND ").append(condition);
        values.add(value);
    }

    private static List<Gap> gaps(Connection connection, int partition, long from, long to) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT from_position, to_position FROM log_gap
                WHERE partition = ? AND to_position > ? AND from_position < ?
                ORDER BY from_position LIMIT ?""")) {
            select.setInt(1, partition);
            select.setLong(2, from);
            select.setLong(3, to);
            select.setInt(4, MAX_GAPS);
            List<Gap> gaps = new ArrayList<>();
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) gaps.add(new Gap(Long.toString(rows.getLong(1)), Long.toString(rows.getLong(2))));
            }
            return gaps;
        }
    }
}
