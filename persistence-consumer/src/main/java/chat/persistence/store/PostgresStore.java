package chat.persistence.store;

import chat.persistence.batch.Batch;
import chat.persistence.batch.BatchStore;
import chat.persistence.batch.Bisection;
import chat.persistence.batch.DeadLetter;
import chat.persistence.batch.Mark;
import chat.persistence.batch.MessageRow;
import chat.persistence.batch.RowsRejected;
import chat.persistence.batch.StoreUnavailable;
import chat.persistence.batch.StoredMark;
import chat.persistence.batch.UnstoredMessage;
import chat.protocol.DerivedId;
import chat.protocol.RoomId;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.exception.FlywayValidateException;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * Writes each batch in one transaction. The transaction moves the position first, which locks the partition's row: a
 * second writer waits, then finds that the position has changed and writes nothing.
 */
public final class PostgresStore implements BatchStore {
    /** Reason of a dead letter whose derived id belongs to another message: a collision of SHA-256. */
    static final String CONFLICT = "CONFLICT";
    /** Reason of a dead letter that the database neither stored nor rejected. */
    static final String SWALLOWED = "SWALLOWED: a trigger or rule of the database dropped the row";

    static final String OTHER_SCHEMA =
            "The database was created by an unreleased version of Confab and cannot be upgraded;"
                    + " start with --clean, or drop the schema";

    /** Timeout for a migration that moves rows. */
    private static final Duration PATIENCE = Duration.ofHours(6);

    private final DataSource writing;
    private final DataSource patient;
    private final RowsStoredListener listener;
    private final KeyAssignment numbering;
    private final MonthPartitions months;

    /**
     * @param writing connections without auto-commit
     * @param listener called for new rows within their transaction
     */
    public PostgresStore(DataSource writing, RowsStoredListener listener, Clock clock) {
        this(writing, listener, clock, MonthPartitions.AHEAD);
    }

    PostgresStore(DataSource writing, RowsStoredListener listener, Clock clock, int monthsAhead) {
        this.writing = writing;
        this.patient = new PatientDataSource(writing, PATIENCE);
        this.listener = listener;
        this.numbering = new KeyAssignment();
        this.months = new MonthPartitions(patient, monthsAhead, clock);
    }

    @Override
    public void prepare() throws StoreUnavailable {
        try {
            migrate();
            months.create();
        } catch (FlywayValidateException other) {
            throw new StoreUnavailable(OTHER_SCHEMA, other);
        } catch (FlywayException | SQLException failed) {
            throw SqlFailure.unavailable(failed);
        }
    }

    /**
     * Migrates the schema on one connection, although Flyway asks for two, one of them for its history, so that both
     * are one transaction. Otherwise a connection lost between the two commits would leave a migration that cannot be
     * repeated.
     *
     * @see <a href="https://github.com/flyway/flyway/issues/1236">Flyway's issue</a>
     */
    private void migrate() throws SQLException {
        try (Connection connection = patient.getConnection()) {
            Flyway.configure()
                    .dataSource(new SingleConnectionDataSource(connection, true))
                    .locations("classpath:db/schema")
                    .load()
                    .migrate();
        }
    }

    @Override
    public Optional<StoredMark> position(int partition) throws StoreUnavailable {
        // Called at the start and after another consumer has moved the position, perhaps after a restore from a
        // backup.
        numbering.forget();
        try (Connection connection = writing.getConnection()) {
            Optional<StoredMark> position = LogPositions.of(connection, partition);
            connection.rollback();
            return position;
        } catch (SQLException failed) {
            throw SqlFailure.unavailable(failed);
        }
    }

    @Override
    public List<UnstoredMessage> notStored(int partition, long after, int limit) throws StoreUnavailable {
        try (Connection connection = writing.getConnection()) {
            List<UnstoredMessage> messages = DeadLetterWriter.messagesAfter(connection, partition, after, limit);
            connection.rollback();
            return messages;
        } catch (SQLException failed) {
            throw SqlFailure.unavailable(failed);
        }
    }

    @Override
    public Outcome write(Batch batch, @Nullable Mark previous, boolean again) throws StoreUnavailable {
        try (Connection connection = writing.getConnection()) {
            try {
                return write(connection, batch, numbered(connection, batch), previous, again, PostgresStore::insertAll);
            } catch (RowsRejected someRow) {
                connection.rollback();
            }
            try {
                return write(
                        connection, batch, numbered(connection, batch), previous, again, PostgresStore::insertByHalves);
            } catch (RowsRejected impossible) {
                throw new AssertionError("bisection handles every rejection", impossible);
            }
        } catch (SQLException failed) {
            numbering.forget();
            throw SqlFailure.unavailable(failed);
        }
    }

    /** Begins the transaction. The numbers stay valid until it ends. */
    private KeyAssignment.Numbered numbered(Connection connection, Batch batch) throws SQLException {
        KeyAssignment.Numbered numbered = numbering.of(connection, batch.rows());
        while (!numbering.hold(connection, numbered)) {
            connection.rollback();
            numbered = numbering.of(connection, batch.rows());
        }
        return numbered;
    }

    private interface Rows {
        Bisection.Outcome<KeyedRow> insert(Connection connection, List<KeyedRow> rows)
                throws SQLException, RowsRejected;
    }

    /** The pool rolls back a transaction that was not committed. */
    private Outcome write(
            Connection connection,
            Batch batch,
            KeyAssignment.Numbered numbered,
            @Nullable Mark previous,
            boolean again,
            Rows rows)
            throws SQLException, RowsRejected {
        Mark end = batch.end() == null ? previous : batch.end();
        if (end != null && !LogPositions.move(connection, batch, end, previous)) {
            boolean ours = again
                    && LogPositions.of(connection, batch.partition())
                            .map(StoredMark::mark)
                            .filter(end::equals)
                            .isPresent();
            // An earlier attempt was committed, although its connection broke before it could confirm that.
            Outcome outcome = ours
                    ? new Outcome.Stored(
                            batch.rows().size(),
                            0,
                            batch.deadLetters().size(),
                            0,
                            0,
                            notStored(connection, batch, previous))
                    : new Outcome.Fenced();
            connection.rollback();
            return outcome;
        }
        List<DeadLetter> deadLetters = new ArrayList<>(batch.deadLetters());
        deadLetters.addAll(numbered.refused());
        InsertOutcome known = insert(connection, numbered.rows(), rows, deadLetters);
        InsertOutcome renamed = insert(connection, renamed(known.conflicts()), rows, deadLetters);
        List<KeyedRow> fresh = known.fresh();
        if (!renamed.fresh().isEmpty()) {
            fresh = new ArrayList<>(fresh);
            fresh.addAll(renamed.fresh());
            fresh.sort(Comparator.comparingLong(row -> row.message().position()));
        }
        if (!fresh.isEmpty()) listener.stored(connection, fresh, batch.cause() == Batch.Cause.REPLAY);
        for (KeyedRow conflict : renamed.conflicts())
            deadLetters.add(conflict.message().refused(CONFLICT));
        int swallowed = 0;
        for (InsertOutcome each : List.of(known, renamed))
            for (KeyedRow row : each.swallowed()) {
                deadLetters.add(row.message().refused(SWALLOWED));
                swallowed++;
            }
        DeadLetterWriter.write(connection, batch.partition(), withOwnIds(deadLetters, known.conflicts()));
        DeadLetterWriter.writeGaps(connection, batch.partition(), batch.gaps());
        // Before the commit: if this query fails, the batch is written again and must not be stored yet.
        List<UnstoredMessage> notStored =
                again || !deadLetters.isEmpty() ? notStored(connection, batch, previous) : List.of();
        connection.commit();
        return new Outcome.Stored(
                fresh.size(),
                known.duplicates() + renamed.duplicates(),
                deadLetters.size(),
                swallowed,
                renamed.fresh().size(),
                notStored);
    }

    private static List<UnstoredMessage> notStored(Connection connection, Batch batch, @Nullable Mark previous)
            throws SQLException {
        if (batch.cause() == Batch.Cause.REPLAY) return List.of(); // its position is below the stored one
        long after = previous == null ? -1 : previous.position();
        return DeadLetterWriter.messagesAfter(connection, batch.partition(), after, Integer.MAX_VALUE);
    }

    private static InsertOutcome insert(
            Connection connection, List<KeyedRow> all, Rows rows, List<DeadLetter> deadLetters)
            throws SQLException, RowsRejected {
        if (all.isEmpty()) return InsertOutcome.fresh(all);
        Bisection.Outcome<KeyedRow> inserted = rows.insert(connection, all);
        for (Bisection.Refused<KeyedRow> refused : inserted.refused())
            deadLetters.add(refused.item().message().refused(refused.reason()));
        List<KeyedRow> present = without(inserted.refused(), all);
        return inserted.inserted() == present.size()
                ? InsertOutcome.fresh(present)
                : InsertOutcome.among(connection, present);
    }

    /**
     * Stores a published message under a derived id if its sender has used its id before; chat servers derive the same
     * id.
     */
    private static List<KeyedRow> renamed(List<KeyedRow> conflicts) {
        return conflicts.stream()
                .map(row -> new KeyedRow(row.message().withId(derivedId(row.message())), row.room(), row.user()))
                .toList();
    }

    private static UUID derivedId(MessageRow row) {
        return DerivedId.of(
                row.messageId(), new RoomId(row.roomId()), row.userId(), row.type(), row.content(), row.timestamp());
    }

    /** Dead letters keep the ids of the log, which senders and replays know. */
    private static List<DeadLetter> withOwnIds(List<DeadLetter> letters, List<KeyedRow> conflicts) {
        if (conflicts.isEmpty()) return letters;
        Map<Long, MessageRow> own = new HashMap<>();
        for (KeyedRow row : conflicts) own.put(row.message().position(), row.message());
        return letters.stream()
                .map(letter -> {
                    MessageRow row = letter.messageId() == null ? null : own.get(letter.position());
                    return row == null ? letter : row.refused(letter.reason());
                })
                .toList();
    }

    private static List<KeyedRow> without(List<Bisection.Refused<KeyedRow>> refused, List<KeyedRow> rows) {
        if (refused.isEmpty()) return rows;
        Set<Long> positions =
                refused.stream().map(each -> each.item().message().position()).collect(Collectors.toSet());
        return rows.stream()
                .filter(row -> !positions.contains(row.message().position()))
                .toList();
    }

    private static Bisection.Outcome<KeyedRow> insertAll(Connection connection, List<KeyedRow> rows)
            throws SQLException, RowsRejected {
        return new Bisection.Outcome<>(MessageInsert.of(connection, rows), List.of());
    }

    private static Bisection.Outcome<KeyedRow> insertByHalves(Connection connection, List<KeyedRow> all)
            throws SQLException {
        return Bisection.<KeyedRow, SQLException>insert(all, rows -> {
            Savepoint before = connection.setSavepoint();
            try {
                int inserted = MessageInsert.of(connection, rows);
                connection.releaseSavepoint(before);
                return inserted;
            } catch (RowsRejected refused) {
                connection.rollback(before);
                throw refused;
            }
        });
    }
}
