package chat.persistence.deadletter;

import chat.log.MalformedEntry;
import chat.persistence.batch.Batch;
import chat.persistence.batch.BatchStore;
import chat.persistence.batch.EntryRows;
import chat.persistence.batch.StoreUnavailable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Reads, replays and resolves dead letters. Blocking; thread-safe. */
public final class DeadLetters {
    private static final String COLUMNS = "id, message_id, partition, position, room_id, reason, server_id, client_ip,"
            + " created_at, resolution, resolved_at, octet_length(bytes)";

    private final DataSource reading;
    private final DataSource writing;
    private final BatchStore store;

    /**
     * @param reading for lists
     * @param writing for single letters, which must show the latest changes
     * @param store stores replayed messages
     */
    public DeadLetters(DataSource reading, DataSource writing, BatchStore store) {
        this.reading = reading;
        this.writing = writing;
        this.store = store;
    }

    /** In ascending order, one more than the limit if more follow. */
    List<StoredDeadLetter> list(DeadLetterQuery query) throws SQLException {
        StringBuilder sql = new StringBuilder("SELECT " + COLUMNS + ", ''::bytea FROM dead_letter WHERE id > ?");
        List<Object> values = new ArrayList<>(List.of(query.after()));
        if (query.room() != null) and(sql, values, "room_id = ?", query.room());
        if (query.reason() != null) and(sql, values, "starts_with(reason, ?)", query.reason());
        if (query.state() == StoredDeadLetter.State.OPEN) sql.append(" AND resolution IS NULL");
        else if (query.state() != null)
            and(sql, values, "resolution = ?", query.state().name());
        sql.append(" ORDER BY id LIMIT ?");
        values.add(query.limit() + 1);
        try (Connection connection = reading.getConnection();
                PreparedStatement select = connection.prepareStatement(sql.toString())) {
            for (int i = 0; i < values.size(); i++) select.setObject(i + 1, values.get(i));
            List<StoredDeadLetter> letters = new ArrayList<>();
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) letters.add(letter(rows));
            }
            connection.commit();
            return letters;
        }
    }

    private static void and(StringBuilder sql, List<Object> values, String condition, Object value) {
        sql.append(" AND ").append(condition);
        values.add(value);
    }

    Optional<StoredDeadLetter> find(long id) throws SQLException {
        try (Connection connection = writing.getConnection();
                PreparedStatement select =
                        connection.prepareStatement("SELECT " + COLUMNS + ", bytes FROM dead_letter WHERE id = ?")) {
            select.setLong(1, id);
            try (ResultSet rows = select.executeQuery()) {
                Optional<StoredDeadLetter> letter = rows.next() ? Optional.of(letter(rows)) : Optional.empty();
                connection.commit();
                return letter;
            }
        }
    }

    private static StoredDeadLetter letter(ResultSet rows) throws SQLException {
        String resolution = rows.getString(10);
        return new StoredDeadLetter(
                rows.getLong(1),
                rows.getObject(2, UUID.class),
                rows.getInt(3),
                rows.getLong(4),
                rows.getString(5),
                rows.getString(6),
                rows.getString(7),
                rows.getString(8),
                rows.getInt(12),
                rows.getBytes(13),
                rows.getObject(9, OffsetDateTime.class).toInstant(),
                resolution == null ? StoredDeadLetter.State.OPEN : StoredDeadLetter.State.valueOf(resolution),
                instant(rows.getObject(11, OffsetDateTime.class)));
    }

    private static @Nullable Instant instant(@Nullable OffsetDateTime time) {
        return time == null ? null : time.toInstant();
    }

    /** Result of a replay. */
    sealed interface Outcome {
        /**
         * All its messages are stored now.
         *
         * @param rows number of new rows
         */
        record Replayed(int rows) implements Outcome {}

        /** The letter stays open. */
        record Refused(String reason) implements Outcome {}
    }

    /**
     * Decodes an open letter again and stores its messages as the consumer would, at their positions in the log.
     * Replaying twice stores nothing twice.
     */
    Outcome replay(StoredDeadLetter letter) throws SQLException, StoreUnavailable {
        EntryRows entry;
        try {
            entry = Redecoding.of(letter);
        } catch (IllegalArgumentException | MalformedEntry still) {
            return refused(letter, String.valueOf(still.getMessage()));
        }
        Batch batch = new Batch(
                letter.partition(), entry.rows(), entry.deadLetters(), List.of(), null, Batch.Cause.REPLAY, false);
        BatchStore.Outcome outcome = store.write(batch, null, false);
        return switch (outcome) {
            case BatchStore.Outcome.Stored stored
            when stored.deadLetters() == 0 || letter.messageId() == null -> {
                // Rejected messages of an entry now have letters of their own.
                replayed(letter.id());
                yield new Outcome.Replayed(stored.stored());
            }
            case BatchStore.Outcome.Stored refused ->
                new Outcome.Refused(
                        find(letter.id()).map(StoredDeadLetter::reason).orElse(letter.reason()));
            case BatchStore.Outcome.Fenced impossible ->
                throw new IllegalStateException("a batch without a position was fenced");
        };
    }

    private Outcome refused(StoredDeadLetter letter, String reason) throws SQLException {
        try (Connection connection = writing.getConnection();
                PreparedStatement update =
                        connection.prepareStatement("UPDATE dead_letter SET reason = left(?, 1000) WHERE id = ?")) {
            update.setString(1, reason.replace('\0', '?'));
            update.setLong(2, letter.id());
            update.executeUpdate();
            connection.commit();
        }
        return new Outcome.Refused(reason);
    }

    /** Marks it as replayed even if it was resolved otherwise in the meantime, because its messages are stored now. */
    private void replayed(long id) throws SQLException {
        try (Connection connection = writing.getConnection();
                PreparedStatement update = connection.prepareStatement("""
                        UPDATE dead_letter SET resolution = 'REPLAYED', resolved_at = now()
                        WHERE id = ? AND resolution IS DISTINCT FROM 'REPLAYED'""")) {
            update.setLong(1, id);
            update.executeUpdate();
            connection.commit();
        }
    }

    /** Returns false if the letter is no longer open. */
    boolean resolve(long id, StoredDeadLetter.State how) throws SQLException {
        try (Connection connection = writing.getConnection();
                PreparedStatement update = connection.prepareStatement(
                        "UPDATE dead_letter SET resolution = ?, resolved_at = now() WHERE id = ? AND resolution IS NULL")) {
            update.setString(1, how.name());
            update.setLong(2, id);
            boolean resolved = update.executeUpdate() == 1;
            connection.commit();
            return resolved;
        }
    }
}
