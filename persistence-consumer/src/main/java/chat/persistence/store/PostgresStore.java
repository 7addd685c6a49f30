package chat.persistence.store;

import chat.persistence.batch.Batch;
import chat.persistence.batch.BatchStore;
import chat.persistence.batch.Bisection;
import chat.persistence.batch.DeadLetter;
import chat.persistence.batch.Gap;
import chat.persistence.batch.Mark;
import chat.persistence.batch.MessageRow;
import chat.persistence.batch.RowsRefused;
import chat.persistence.batch.StoreUnavailable;
import chat.persistence.batch.StoredMark;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.jspecify.annotations.Nullable;

/**
 * A transaction for each batch. It moves the position first: that locks the partition's line, so whoever comes second
 * waits, sees that the position is another one, and writes nothing.
 */
public final class PostgresStore implements BatchStore {
    private static final String INSERT = """
            INSERT INTO messages
              (message_id, position, timestamp, room_id, user_id, username, message_type, content, server_id, client_ip)
            SELECT id, at, timestamptz 'epoch' + ms * interval '1 millisecond', room, u, name, type, text, server, ip::inet
            FROM unnest(?::uuid[], ?::bigint[], ?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[],
              ?::text[], ?::text[]) AS t(id, at, ms, room, u, name, type, text, server, ip)
            ON CONFLICT (message_id) DO NOTHING""";

    private static final String FIRST_POSITION = """
            INSERT INTO log_position (position, origin, log_offset, run, sequence, drained, partition)
            VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (partition) DO NOTHING""";

    private static final String MOVE_POSITION = """
            UPDATE log_position
            SET position = ?, origin = ?, log_offset = ?, run = ?, sequence = ?, drained = ?, updated_at = now()
            WHERE partition = ? AND position = ?""";

    private static final int MAX_TEXT = 1000;

    private final DataSource writing;

    public PostgresStore(DataSource writing) {
        this.writing = writing;
    }

    @Override
    public void prepare() throws StoreUnavailable {
        try {
            Flyway.configure()
                    .dataSource(writing)
                    .locations("classpath:db/migration/confab")
                    .load()
                    .migrate();
        } catch (FlywayException failed) {
            throw unavailable(failed);
        }
    }

    /** What PostgreSQL or the driver said, below what the pool and Flyway say about it. */
    private static Throwable rootOf(Throwable failure) {
        Throwable root = failure;
        for (Throwable cause = failure; cause != null; cause = cause.getCause())
            if (cause instanceof SQLException sql && sql.getSQLState() != null) root = cause;
        return root;
    }

    private static String firstLine(Throwable failure) {
        String message = failure.getMessage();
        return message == null
                ? failure.getClass().getSimpleName()
                : message.lines().findFirst().orElse("");
    }

    @Override
    public Optional<StoredMark> position(int partition) throws StoreUnavailable {
        try (Connection connection = writing.getConnection()) {
            Optional<StoredMark> position = position(connection, partition);
            connection.rollback();
            return position;
        } catch (SQLException failed) {
            throw unavailable(failed);
        }
    }

    private static Optional<StoredMark> position(Connection connection, int partition) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT position, origin, log_offset, run, sequence, drained FROM log_position WHERE partition = ?")) {
            select.setInt(1, partition);
            try (ResultSet rows = select.executeQuery()) {
                if (!rows.next()) return Optional.empty();
                Mark mark =
                        new Mark(rows.getLong(1), rows.getLong(2), rows.getLong(3), rows.getLong(4), rows.getLong(5));
                return Optional.of(new StoredMark(mark, rows.getBoolean(6)));
            }
        }
    }

    @Override
    public Outcome write(Batch batch, @Nullable Mark previous, boolean again) throws StoreUnavailable {
        try (Connection connection = writing.getConnection()) {
            try {
                return write(connection, batch, previous, again, PostgresStore::insertAll);
            } catch (RowsRefused someRow) {
                connection.rollback();
            }
            try {
                return write(connection, batch, previous, again, PostgresStore::insertByHalves);
            } catch (RowsRefused impossible) {
                throw new AssertionError("bisection lets no refusal through", impossible);
            }
        } catch (SQLException failed) {
            throw unavailable(failed);
        }
    }

    private interface Rows {
        Bisection.Outcome insert(Connection connection, List<MessageRow> rows) throws SQLException, RowsRefused;
    }

    /** The pool rolls back what has not come to its commit. */
    private static Outcome write(Connection connection, Batch batch, @Nullable Mark previous, boolean again, Rows rows)
            throws SQLException, RowsRefused {
        Mark end = batch.end() == null ? previous : batch.end();
        if (end != null && !move(connection, batch, end, previous)) {
            boolean ours = again
                    && position(connection, batch.partition())
                            .map(StoredMark::mark)
                            .filter(end::equals)
                            .isPresent();
            connection.rollback();
            // An earlier attempt was committed, though its connection broke before it could say so.
            return ours
                    ? new Outcome.Stored(
                            batch.rows().size(), 0, batch.deadLetters().size())
                    : new Outcome.Fenced();
        }
        Bisection.Outcome inserted = rows.insert(connection, batch.rows());
        List<DeadLetter> deadLetters = new ArrayList<>(batch.deadLetters());
        deadLetters.addAll(inserted.refused());
        List<MessageRow> notRefused = without(inserted.refused(), batch.rows());
        int known = notRefused.size() - inserted.inserted();
        List<DeadLetter> conflicts = known == 0 ? List.of() : Conflicts.among(connection, notRefused);
        deadLetters.addAll(conflicts);
        writeDeadLetters(connection, batch.partition(), deadLetters);
        writeGaps(connection, batch.partition(), batch.gaps());
        connection.commit();
        return new Outcome.Stored(inserted.inserted(), known - conflicts.size(), deadLetters.size());
    }

    private static List<MessageRow> without(List<DeadLetter> refused, List<MessageRow> rows) {
        if (refused.isEmpty()) return rows;
        Set<Long> positions = refused.stream().map(DeadLetter::position).collect(Collectors.toSet());
        return rows.stream().filter(row -> !positions.contains(row.position())).toList();
    }

    private static boolean move(Connection connection, Batch batch, Mark end, @Nullable Mark previous)
            throws SQLException {
        try (PreparedStatement move = connection.prepareStatement(previous == null ? FIRST_POSITION : MOVE_POSITION)) {
            move.setLong(1, end.position());
            move.setLong(2, end.origin());
            move.setLong(3, end.offset());
            move.setLong(4, end.run());
            move.setLong(5, end.sequence());
            move.setBoolean(6, batch.drained());
            move.setInt(7, batch.partition());
            if (previous != null) move.setLong(8, previous.position());
            return move.executeUpdate() == 1;
        }
    }

    private static Bisection.Outcome insertAll(Connection connection, List<MessageRow> rows)
            throws SQLException, RowsRefused {
        return new Bisection.Outcome(rows.isEmpty() ? 0 : insert(connection, rows), List.of());
    }

    private static Bisection.Outcome insertByHalves(Connection connection, List<MessageRow> all) throws SQLException {
        return Bisection.<SQLException>insert(all, rows -> {
            Savepoint before = connection.setSavepoint();
            try {
                int inserted = insert(connection, rows);
                connection.releaseSavepoint(before);
                return inserted;
            } catch (RowsRefused refused) {
                connection.rollback(before);
                throw refused;
            }
        });
    }

    private static int insert(Connection connection, List<MessageRow> rows) throws SQLException, RowsRefused {
        try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
            int column = 0;
            insert.setArray(++column, RowArrays.of(connection, "uuid", rows, MessageRow::messageId, UUID[]::new));
            insert.setArray(++column, RowArrays.of(connection, "int8", rows, MessageRow::position, Long[]::new));
            insert.setArray(++column, RowArrays.of(connection, "int8", rows, MessageRow::timestamp, Long[]::new));
            insert.setArray(++column, RowArrays.of(connection, "text", rows, MessageRow::roomId, String[]::new));
            insert.setArray(++column, RowArrays.of(connection, "text", rows, MessageRow::userId, String[]::new));
            insert.setArray(++column, RowArrays.of(connection, "text", rows, MessageRow::username, String[]::new));
            insert.setArray(
                    ++column,
                    RowArrays.of(connection, "text", rows, row -> row.type().name(), String[]::new));
            insert.setArray(++column, RowArrays.of(connection, "text", rows, MessageRow::content, String[]::new));
            insert.setArray(++column, RowArrays.of(connection, "text", rows, MessageRow::serverId, String[]::new));
            insert.setArray(++column, RowArrays.of(connection, "text", rows, MessageRow::clientIp, String[]::new));
            return insert.executeUpdate();
        } catch (SQLException failed) {
            if (SqlFailure.isOfTheData(failed)) throw new RowsRefused(firstLine(failed), failed);
            throw failed;
        }
    }

    private static void writeDeadLetters(Connection connection, int partition, List<DeadLetter> deadLetters)
            throws SQLException {
        if (deadLetters.isEmpty()) return;
        // The same can come twice: in an entry that could not be marked as dealt with.
        try (PreparedStatement insert = connection.prepareStatement("""
                INSERT INTO dead_letter (message_id, partition, position, room_id, reason, bytes)
                VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING""")) {
            for (DeadLetter letter : deadLetters) {
                insert.setObject(1, letter.messageId());
                insert.setInt(2, partition);
                insert.setLong(3, letter.position());
                insert.setString(4, letter.roomId() == null ? null : printable(letter.roomId()));
                insert.setString(5, printable(letter.reason()));
                insert.setBytes(6, letter.bytes());
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    /** PostgreSQL's texts hold no NUL, and what is refused for one must not be refused again here. */
    private static String printable(String text) {
        String clean = text.replace('\0', '?');
        return clean.length() > MAX_TEXT ? clean.substring(0, MAX_TEXT) : clean;
    }

    private static void writeGaps(Connection connection, int partition, List<Gap> gaps) throws SQLException {
        if (gaps.isEmpty()) return;
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO log_gap (partition, reason, from_position, to_position) VALUES (?, ?, ?, ?)")) {
            for (Gap gap : gaps) {
                insert.setInt(1, partition);
                insert.setString(2, gap.reason());
                insert.setLong(3, gap.from());
                insert.setLong(4, gap.to());
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    private static StoreUnavailable unavailable(Exception failed) {
        Throwable root = rootOf(failed);
        String state = root instanceof SQLException sql ? sql.getSQLState() : null;
        return new StoreUnavailable(firstLine(root) + (state == null ? "" : " (SQLSTATE " + state + ")"), failed);
    }
}
