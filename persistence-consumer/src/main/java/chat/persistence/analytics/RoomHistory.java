package chat.persistence.analytics;

import chat.persistence.analytics.HistoryPage.Gap;
import chat.persistence.analytics.HistoryPage.Message;
import chat.persistence.analytics.HistoryQuery.Page;
import chat.persistence.rollup.Disorder;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads a room's messages in the order of their positions, which an index has. A time range is read as a range of
 * positions: the room's total bounds how far times can be out of order. Several messages can have the same position if
 * a broker lost power and assigned positions again; a page never splits such a group, since the next page begins after
 * a position. Blocking; thread-safe.
 */
public final class RoomHistory {
    /** Maximum number of gaps in a response. Gaps are rare; more would add no information. */
    private static final int MAX_GAPS = 100;

    private final Snapshots snapshots;
    private final int partitions;

    /** @param partitions of the log */
    public RoomHistory(Snapshots snapshots, int partitions) {
        this.snapshots = snapshots;
        this.partitions = partitions;
    }

    HistoryPage find(HistoryQuery query) throws SQLException {
        int partition = query.room().partition(partitions);
        return snapshots.read(connection -> {
            // Read this first: it bounds up to where the rows of the same snapshot are complete.
            Long storedThrough = storedThrough(connection, partition);
            Found found = find(connection, query);
            List<Message> messages = found.messages();
            boolean more = found.more();
            return switch (query.page()) {
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
        });
    }

    /**
     * @param messages in the direction of paging
     * @param more whether more messages follow
     */
    private record Found(List<Message> messages, boolean more) {}

    /**
     * Reads a page that ends between two positions: fewer messages than the limit, or more if they share one position.
     */
    private static Found find(Connection connection, HistoryQuery query) throws SQLException {
        List<Message> messages = messages(connection, query, query.limit());
        if (messages.size() <= query.limit()) return new Found(messages, false);
        String further = messages.getLast().position();
        int end = query.limit();
        while (end > 0 && messages.get(end - 1).position().equals(further)) end--;
        if (end == 0) {
            messages = messages(connection, query, HistoryRequest.MAX_LIMIT);
            while (end < Math.min(messages.size(), HistoryRequest.MAX_LIMIT)
                    && messages.get(end).position().equals(further)) end++;
        }
        return new Found(messages.subList(0, end), end < messages.size());
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

    /**
     * @param number of the room
     * @param disorder maximum disorder of its times in milliseconds
     */
    private record Room(int number, long disorder) {}

    private static @Nullable Room room(Connection connection, HistoryQuery query) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT room, coalesce(disorder_ms, 0) FROM rooms LEFT JOIN room_total USING (room) WHERE room_id = ?")) {
            select.setString(1, query.room().value());
            try (ResultSet rows = select.executeQuery()) {
                return rows.next() ? new Room(rows.getInt(1), Math.max(Disorder.LEAST_MILLIS, rows.getLong(2))) : null;
            }
        }
    }

    /** Reads in the direction of paging, one message more than the limit if more follow. */
    private static List<Message> messages(Connection connection, HistoryQuery query, int limit) throws SQLException {
        Room room = room(connection, query);
        if (room == null) return new ArrayList<>();
        PageSelect page = new PageSelect("""
                SELECT position, message_id, message_type, usr, username, display_name, content, timestamp, server_id
                FROM messages WHERE room = ?""", room.number());
        switch (query.page()) {
            case Page.After after -> page.and("position > ?", after.position());
            case Page.Before before -> page.and("position < ?", before.position());
        }
        // The times are written as a sum so that no index on time matches and the planner uses the index by position.
        // With the index on time it would read and sort a long range for its first page.
        if (query.from() != null) {
            page.and("timestamp + interval '0' >= ?", query.from());
            Long below =
                    edge(connection, room, "timestamp < ? ORDER BY timestamp DESC", query.from(), -room.disorder());
            if (below != null) page.and("position >= ?", below);
        }
        if (query.to() != null) {
            page.and("timestamp + interval '0' < ?", query.to());
            Long above = edge(connection, room, "timestamp > ? ORDER BY timestamp", query.to(), room.disorder());
            if (above != null) page.and("position <= ?", above);
        }
        page.andTypes(connection, query.types());
        boolean forwards = query.page() instanceof Page.After;
        return page.rows(
                connection,
                """
                position, message_id, message_type, (SELECT user_id FROM users WHERE users.usr = m.usr), username,
                display_name, content, timestamp, server_id""",
                forwards ? "position" : "position DESC",
                forwards ? "position, message_id" : "position DESC, message_id DESC",
                limit,
                row -> new Message(
                        Long.toString(row.getLong(1)),
                        row.getObject(2, UUID.class).toString(),
                        row.getString(3),
                        row.getString(4),
                        row.getString(5),
                        row.getString(6),
                        row.getString(7),
                        row.getObject(8, OffsetDateTime.class).toInstant().toEpochMilli(),
                        row.getString(9)));
    }

    /**
     * Position of a message so far outside the time range that the whole range lies on one side of it, or at the same
     * position.
     *
     * @param outside condition and order: messages outside the range, the nearest first
     * @param distance from the edge, in milliseconds
     * @return null if there is none
     */
    private static @Nullable Long edge(
            Connection connection, Room room, String outside, OffsetDateTime edge, long distance) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT position FROM messages WHERE room = ? AND " + outside + " LIMIT 1")) {
            select.setInt(1, room.number());
            select.setObject(2, edge.plus(Duration.ofMillis(distance)));
            try (ResultSet rows = select.executeQuery()) {
                return rows.next() ? rows.getLong(1) : null;
            }
        }
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
