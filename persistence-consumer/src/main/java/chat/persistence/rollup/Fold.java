package chat.persistence.rollup;

import chat.persistence.store.AdvisoryLocks;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Adds pending rows to the roll-ups and deletes them in the caller's transaction, so that each is counted exactly once
 * even after a crash. The oldest are first. One transaction at a time ({@link #tryLock}).
 */
final class Fold {
    /** Maximum per transaction, unless a single batch is larger. Bounds memory: about 100 bytes each. */
    static final int MAX_MESSAGES = 300_000;

    static final long LOCK = AdvisoryLocks.FOLD;

    private static final String TAKE = """
            WITH chosen AS (
                SELECT row_at, pending FROM (
                    SELECT ctid AS row_at, id = min(id) OVER () AS oldest, count(*) OVER () AS pending,
                           sum(messages) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) AS together
                    FROM rollup_pending) AS p
                WHERE together <= ? OR oldest)
            DELETE FROM rollup_pending USING chosen WHERE rollup_pending.ctid = chosen.row_at
            RETURNING id, events, disorder_ms, chosen.pending""";

    private Fold() {}

    /**
     * @param messages number added
     * @param more whether pending rows are left
     */
    record Outcome(int messages, boolean more) {}

    /** Whether this transaction may fold until it ends; never waits. */
    static boolean tryLock(Connection connection) throws SQLException {
        return AdvisoryLock.tryAcquire(connection, LOCK);
    }

    /** One fold. The caller holds the lock and commits. */
    static Outcome run(Connection connection) throws SQLException {
        Taken taken = take(connection);
        long number = advance(connection, taken);
        if (!taken.stretches().isEmpty()) {
            Totals.add(connection, taken.stretches());
            Activity.add(connection, taken.stretches().stream().flatMap(stretch -> stretch.events().stream()), number);
        }
        return new Outcome(taken.messages(), taken.more());
    }

    private record Pending(long id, StoredRange stretch) {}

    /** @param stretches in the order of storing: a room's batches are stored one after the other */
    private record Taken(List<StoredRange> stretches, int messages, boolean more) {}

    private static Taken take(Connection connection) throws SQLException {
        List<Pending> taken = new ArrayList<>();
        long pending = 0;
        try (PreparedStatement delete = connection.prepareStatement(TAKE)) {
            delete.setLong(1, MAX_MESSAGES);
            try (ResultSet rows = delete.executeQuery()) {
                while (rows.next()) {
                    taken.add(new Pending(
                            rows.getLong(1), new StoredRange(events(rows.getBytes(2)), rows.getObject(3, Long.class))));
                    pending = rows.getLong(4);
                }
            }
        }
        taken.sort(Comparator.comparingLong(Pending::id));
        List<StoredRange> stretches = taken.stream().map(Pending::stretch).toList();
        int messages =
                stretches.stream().mapToInt(stretch -> stretch.events().size()).sum();
        return new Taken(stretches, messages, taken.size() < pending);
    }

    private static List<Event> events(byte[] bytes) {
        List<Event> events = new ArrayList<>();
        EventBytes.read(bytes, (millis, room, user) -> events.add(new Event(millis, room, user)));
        return events;
    }

    /**
     * Records how far counting is. The transaction's start time lies before each of its snapshots, so it has seen
     * everything committed until then.
     *
     * @return the number of this fold
     */
    private static long advance(Connection connection, Taken taken) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("""
                UPDATE rollup_state
                SET folds = folds + ?, messages = messages + ?, as_of = CASE WHEN ? THEN as_of ELSE now() END
                RETURNING folds""")) {
            update.setInt(1, taken.stretches().isEmpty() ? 0 : 1);
            update.setInt(2, taken.messages());
            update.setBoolean(3, taken.more());
            try (ResultSet row = update.executeQuery()) {
                if (!row.next()) throw new SQLException("rollup_state has no row");
                return row.getLong(1);
            }
        }
    }
}
