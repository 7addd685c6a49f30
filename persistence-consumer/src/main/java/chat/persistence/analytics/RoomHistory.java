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
 * A room's messages from the database, in the order of their positions, which an index has. A range of times is a range
 * of positions, too, and that is what is read: times may only be in disorder by as much as the room's total says.
 * Positions can be equal, where a broker lost power and gave places to others: such messages are in one page, since the
 * next one begins behind a position. Blocking; thread-safe.
 */
public final class RoomHistory {
    /** Gaps are rare; so many in one answer say the same as more would. */
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
            // First of all: it tells up to where the rows that the same snapshot shows are complete.
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
     * @param messages in the direction of the pages
     * @param more whether there are further ones
     */
    private record Found(List<Message> messages, boolean more) {}

    /** What ends between two positions: fewer than the limit, or more where that many are of one position. */
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
     * @param disorder of its times in milliseconds, at most
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

    /** In the direction of the pages, with one more than the limit where there is one more. */
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
        // The times as a sum, of which no index knows: what is wanted is the one by position, which has the order.
        // By the other one a long range would be read and sorted whole for its first page.
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
     * The position of a message so far outside of the range of times that all of the range lies on its other side, or in the
     * same place.
     *
     * @param outside which messages are outside, the nearest first
     * @param distance from the edge, in milliseconds
     * @return null where there is none
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
