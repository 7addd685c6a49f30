package chat.persistence.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import chat.persistence.Database;
import chat.persistence.batch.Batch;
import chat.persistence.batch.BatchStore.Outcome;
import chat.persistence.batch.DeadLetter;
import chat.persistence.batch.Gap;
import chat.persistence.batch.Mark;
import chat.persistence.batch.MessageRow;
import chat.persistence.batch.StoreUnavailable;
import chat.persistence.batch.StoredMark;
import chat.persistence.batch.UnstoredMessage;
import chat.protocol.DerivedId;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PostgresStoreIT {
    private static final Mark FIRST = new Mark(2047, 0, 0, 5, 1);
    private static final Mark SECOND = new Mark(4095, 0, 1, 5, 2);
    private static final Mark THIRD = new Mark(6143, 0, 2, 5, 3);

    private Pools pools;
    private PostgresStore store;

    @BeforeEach
    void begin() throws Exception {
        Database.empty();
        pools = StorePools.of(Database.node());
        store = store(RowsStoredListener.NONE);
        store.prepare();
    }

    private PostgresStore store(RowsStoredListener listener) {
        return new PostgresStore(pools.writing(), listener, Clock.systemUTC());
    }

    @AfterEach
    void end() {
        pools.close();
    }

    private static MessageRow row(long position, String room, long timestamp, @Nullable String ip) {
        return new MessageRow(
                new UUID(1, position),
                room,
                "42",
                "alice42",
                MessageType.TEXT,
                "hi",
                timestamp,
                position,
                "server-1",
                ip,
                new byte[] {1});
    }

    private static Batch batch(@Nullable Mark end, MessageRow... rows) {
        return new Batch(0, List.of(rows), List.of(), List.of(), end, Batch.Cause.SIZE, false);
    }

    private static long rows() {
        return Database.number("SELECT count(*) FROM messages");
    }

    @Test
    void secondPreparationChangesNothing() throws Exception {
        store.prepare();
        assertThat(store.position(0)).isEmpty();
    }

    /** The commit of Flyway's history fails, as if its connection had broken. */
    @Test
    void migrationWithoutItsHistoryRowIsRepeated() throws Exception {
        // The schema has only Flyway's history, which is empty.
        Database.execute("CREATE SCHEMA aside; ALTER TABLE flyway_schema_history SET SCHEMA aside");
        Database.empty();
        Database.execute("ALTER TABLE aside.flyway_schema_history SET SCHEMA public; DROP SCHEMA aside;"
                + " DELETE FROM flyway_schema_history");
        Database.execute("""
                CREATE FUNCTION break_off() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE 'broken off' USING ERRCODE = 'connection_failure'; END $$""");
        Database.execute("""
                CREATE CONSTRAINT TRIGGER break_off AFTER INSERT ON flyway_schema_history
                DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION break_off()""");
        assertThatThrownBy(store::prepare).isInstanceOf(StoreUnavailable.class).hasMessageContaining("broken off");
        assertThat(Database.column("SELECT to_regclass('rollup_pending')::text"))
                .containsExactly((String) null);
        Database.execute("DROP FUNCTION break_off() CASCADE");
        store.prepare();
        assertThat(store.write(batch(FIRST, row(0, "7", 1, null)), null, false)).isEqualTo(new Outcome.Stored(1, 0, 0));
    }

    @Test
    void schemaOfAnUnreleasedVersionIsRejectedWithAdvice() {
        Database.execute(
                "UPDATE flyway_schema_history SET checksum = checksum + 1, description = 'messages' WHERE version = '1'");
        Database.execute("""
                INSERT INTO flyway_schema_history
                SELECT installed_rank + 1, '2', 'dead letter conflicts', type, 'V2__dead_letter_conflicts.sql', checksum,
                  installed_by, installed_on, execution_time, success
                FROM flyway_schema_history WHERE version = '1'""");
        assertThatThrownBy(store::prepare)
                .isInstanceOf(StoreUnavailable.class)
                .hasMessage("The database was created by an unreleased version of Confab and cannot be upgraded;"
                        + " start with --clean, or drop the schema");
    }

    @Test
    void rowsAndPositionAreWrittenTogether() throws Exception {
        assertThat(store.write(batch(FIRST, row(0, "7", 1_763_632_800_123L, "::1")), null, false))
                .isEqualTo(new Outcome.Stored(1, 0, 0));
        assertThat(store.position(0)).hasValue(new StoredMark(FIRST, false));
        assertThat(Database.column("SELECT to_char(timestamp AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') || ' '"
                        + " || host(client_ip) FROM messages"))
                .containsExactly("2025-11-20 10:00:00.123000 ::1");
        assertThat(store.write(batch(SECOND, row(2048, "7", 2, null)).withDrained(), FIRST, false))
                .isEqualTo(new Outcome.Stored(1, 0, 0));
        assertThat(store.position(0)).hasValue(new StoredMark(SECOND, true));
    }

    @Test
    void sameIdTwiceInOneBatchIsOneRow() throws Exception {
        assertThat(store.write(batch(FIRST, row(0, "7", 1, null), row(0, "7", 1, null)), null, false))
                .isEqualTo(new Outcome.Stored(1, 1, 0));
        assertThat(rows()).isEqualTo(1);
    }

    /** Under the id of {@code row(0, …)}. */
    private static MessageRow claim(
            long position, String room, String user, String name, MessageType type, @Nullable String text) {
        byte[] json = {(byte) position};
        return new MessageRow(
                new UUID(1, 0), room, user, name, type, text, position, position, "server-2", "::2", json);
    }

    private static List<String> deadLetters() {
        return Database.column(
                "SELECT position || ' ' || room_id || ' ' || reason || ' ' || encode(bytes, 'hex') || ' '"
                        + " || message_id FROM dead_letter ORDER BY position");
    }

    private static List<String> messages() {
        return Database.column("SELECT message_id || ' ' || room_id || ' ' || user_id || ' ' || message_type || ' '"
                + " || coalesce(content, '-') || ' ' || position"
                + " FROM messages JOIN rooms USING (room) JOIN users USING (usr) ORDER BY position");
    }

    private static UUID derived(MessageType type, @Nullable String text, long timestamp) {
        return DerivedId.of(new UUID(1, 0), new RoomId("7"), "42", type, text, timestamp);
    }

    @Test
    void idsAreIndependentOverSendersAndRoomsAndReuseDerivesAnId() throws Exception {
        Outcome unused = store.write(batch(FIRST, row(0, "7", 0, null)), null, false);
        MessageRow[] claims = {
            row(2048, "7", 1, null),
            claim(2049, "8", "42", "alice42", MessageType.TEXT, "hi"),
            claim(2050, "7", "43", "alice42", MessageType.TEXT, "hi"),
            claim(2051, "7", "42", "alice43", MessageType.TEXT, "hi"), // renamed since: the same message
            claim(2052, "7", "42", "alice42", MessageType.LEAVE, null),
            claim(2053, "7", "42", "alice42", MessageType.TEXT, "Hi"),
            claim(2054, "7", "42", "alice42", MessageType.TEXT, "hi"),
            claim(2055, "7", "42", "alice42", MessageType.TEXT, "Hi"),
            claim(2056, "7", "42", "alice42", MessageType.LEAVE, null)
        };
        assertThat(store.write(batch(SECOND, claims), FIRST, false))
                .isEqualTo(new Outcome.Stored(6, 3, 0, 0, 3, List.of()));
        UUID id = new UUID(1, 0);
        List<String> stored = List.of(
                id + " 7 42 TEXT hi 0",
                new UUID(1, 2048) + " 7 42 TEXT hi 2048",
                id + " 8 42 TEXT hi 2049",
                id + " 7 43 TEXT hi 2050",
                derived(MessageType.LEAVE, null, 2052) + " 7 42 LEAVE - 2052",
                derived(MessageType.TEXT, "Hi", 0) + " 7 42 TEXT Hi 2053",
                derived(MessageType.LEAVE, null, 2056) + " 7 42 LEAVE - 2056");
        assertThat(messages()).isEqualTo(stored);
        // Read again, after the log had lost its position.
        assertThat(store.write(batch(THIRD, claims), SECOND, false)).isEqualTo(new Outcome.Stored(0, 9, 0));
        assertThat(messages()).isEqualTo(stored);
        assertThat(deadLetters()).isEmpty();
    }

    @Test
    void ofTwoMessagesUnderOneIdInOneBatchTheFirstHasTheId() throws Exception {
        Batch batch = batch(
                FIRST,
                claim(7, "7", "42", "alice42", MessageType.TEXT, "first"),
                claim(8, "7", "42", "alice42", MessageType.TEXT, "second"),
                claim(9, "7", "42", "alice42", MessageType.TEXT, "first"));
        assertThat(store.write(batch, null, false)).isEqualTo(new Outcome.Stored(2, 1, 0, 0, 1, List.of()));
        assertThat(messages())
                .containsExactly(
                        new UUID(1, 0) + " 7 42 TEXT first 7",
                        derived(MessageType.TEXT, "second", 0) + " 7 42 TEXT second 8");
    }

    @Test
    void rowDroppedByATriggerIsNoDuplicate() throws Exception {
        Database.execute("""
                CREATE FUNCTION swallow() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RETURN CASE WHEN new.content LIKE 'drop%' THEN NULL ELSE new END; END $$""");
        Database.execute("CREATE TRIGGER swallow BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION swallow()");
        Batch batch = batch(
                FIRST,
                row(0, "7", 1, null),
                row(0, "7", 1, null),
                claim(7, "7", "42", "alice42", MessageType.TEXT, "drop this under a derived id"),
                new MessageRow(
                        new UUID(1, 8),
                        "7",
                        "42",
                        "alice42",
                        MessageType.TEXT,
                        "drop",
                        8,
                        8,
                        "server-1",
                        null,
                        new byte[] {8}));
        assertThat(counts(store.write(batch, null, false))).isEqualTo(new Outcome.Stored(1, 1, 2, 2, 0, List.of()));
        assertThat(deadLetters())
                .containsExactly(
                        "7 7 " + PostgresStore.SWALLOWED + " 07 " + new UUID(1, 0),
                        "8 7 " + PostgresStore.SWALLOWED + " 08 " + new UUID(1, 8));
    }

    /** Without the messages that are not stored. */
    private static Outcome counts(Outcome outcome) {
        Outcome.Stored stored = (Outcome.Stored) outcome;
        return new Outcome.Stored(
                stored.stored(),
                stored.duplicates(),
                stored.deadLetters(),
                stored.swallowed(),
                stored.renamed(),
                List.of());
    }

    @Test
    void deadLettersAreReportedAsNotStoredUntilReplayed() throws Exception {
        List<UnstoredMessage> lost = List.of(
                new UnstoredMessage(5, new UUID(1, 5), "7", "42"), new UnstoredMessage(9, new UUID(1, 9), "7", "42"));
        Batch batch = batch(
                FIRST, row(5, "7", Long.MAX_VALUE, null), row(6, "7", 1, null), row(9, "7", Long.MAX_VALUE, null));
        assertThat(store.write(batch, null, false)).isEqualTo(new Outcome.Stored(1, 0, 2, 0, 0, lost));
        assertThat(store.write(batch, null, true))
                .as("committed before")
                .isEqualTo(new Outcome.Stored(3, 0, 0, 0, 0, lost));
        assertThat(store.notStored(0, -1, 1_000)).isEqualTo(lost);
        assertThat(store.notStored(0, 5, 1_000)).isEqualTo(lost.subList(1, 2));
        assertThat(store.notStored(0, -1, 1)).isEqualTo(lost.subList(1, 2));
        assertThat(store.notStored(1, -1, 1_000)).isEmpty();
        Database.execute("UPDATE dead_letter SET resolution = 'REPLAYED', resolved_at = now() WHERE position = 5");
        assertThat(store.notStored(0, -1, 1_000)).isEqualTo(lost.subList(1, 2));
    }

    @Test
    void oldDeadLettersAreRemovedResolvedOrNot() throws Exception {
        Outcome unused = store.write(
                batch(
                        FIRST,
                        row(5, "7", Long.MAX_VALUE, null),
                        row(6, "7", Long.MAX_VALUE, null),
                        row(9, "7", Long.MAX_VALUE, null)),
                null,
                false);
        Database.execute("UPDATE dead_letter SET created_at = now() - interval '31 days' WHERE position < 9");
        Database.execute("UPDATE dead_letter SET resolution = 'DISCARDED', resolved_at = now() WHERE position = 5");
        DeadLetterRetention retention =
                new DeadLetterRetention(pools.writing(), Duration.ofDays(30), 1, Clock.systemUTC());
        assertThat(retention.run()).isEqualTo(2);
        assertThat(Database.column("SELECT position FROM dead_letter")).containsExactly("9");
        assertThat(retention.run()).isZero();
    }

    @Test
    void messagesUnderAUsedIdAreStoredBesideRejectedRows() throws Exception {
        Batch batch = batch(
                FIRST,
                row(0, "7", 1, null),
                claim(5, "7", "42", "alice42", MessageType.TEXT, "a\0b"),
                claim(6, "7", "42", "alice42", MessageType.TEXT, "another"),
                row(7, "", 1, null));
        assertThat(counts(store.write(batch, null, false))).isEqualTo(new Outcome.Stored(2, 0, 2, 0, 1, List.of()));
        assertThat(Database.column("SELECT position FROM dead_letter ORDER BY position"))
                .containsExactly("5", "7");
        assertThat(Database.column("SELECT content FROM messages ORDER BY position"))
                .containsExactly("hi", "another");
    }

    @Test
    void secondWriterWritesNothing() throws Exception {
        Outcome unused = store.write(batch(FIRST, row(0, "7", 1, null)), null, false);
        assertThat(store.write(batch(SECOND, row(2048, "7", 1, null)), null, false))
                .isEqualTo(new Outcome.Fenced());
        Outcome moved = store.write(batch(SECOND, row(2049, "7", 1, null)), FIRST, false);
        assertThat(moved).isEqualTo(new Outcome.Stored(1, 0, 0));
        assertThat(store.write(batch(THIRD, row(4096, "7", 1, null)), FIRST, false))
                .isEqualTo(new Outcome.Fenced());
        assertThat(store.write(batch(SECOND, row(2050, "7", 1, null)), FIRST, false))
                .isEqualTo(new Outcome.Fenced());
        assertThat(rows()).isEqualTo(2);
    }

    @Test
    void unseenCommitIsRecognized() throws Exception {
        Outcome unnoticed = store.write(batch(FIRST, row(0, "7", 1, null)), null, false);
        assertThat(store.write(batch(FIRST, row(0, "7", 1, null)), null, true)).isEqualTo(unnoticed);
        assertThat(rows()).isEqualTo(1);
    }

    @Test
    void everyKindOfRejectionBecomesADeadLetterAndTheRestIsStored() throws Exception {
        MessageRow good = row(0, "7", 1, null);
        Batch batch = batch(
                FIRST,
                row(1, "", 1, null),
                row(2, "7", Long.MAX_VALUE, null),
                good,
                row(3, "7", 1, "300.1.2.3"),
                row(4, "a\0b", 1, null));
        assertThat(counts(store.write(batch, null, false))).isEqualTo(new Outcome.Stored(1, 0, 4));
        assertThat(Database.column("SELECT position FROM messages")).containsExactly("0");
        assertThat(Database.column("SELECT position FROM dead_letter ORDER BY position"))
                .containsExactly("1", "2", "3", "4");
    }

    @Test
    void deadLettersAndGapsOfTheBatchAreWritten() throws Exception {
        Batch batch = new Batch(
                0,
                List.of(),
                List.of(new DeadLetter(null, 9, null, null, "why\0not", null, null, new byte[] {7})),
                List.of(new Gap("TRUNCATED", 3, 8)),
                null,
                Batch.Cause.TIME,
                false);
        assertThat(counts(store.write(batch, null, false))).isEqualTo(new Outcome.Stored(0, 0, 1));
        assertThat(store.position(0)).isEmpty();
        assertThat(Database.column("SELECT reason FROM dead_letter")).containsExactly("why?not");
        assertThat(Database.column("SELECT reason || ' ' || from_position || ' ' || to_position FROM log_gap"))
                .containsExactly("TRUNCATED 3 8");
    }

    /** The connection of each first attempt broke after its commit, so the same batch is written again. */
    @Test
    void gapOfABatchThatDoesNotMoveThePositionIsRecordedOnce() throws Exception {
        Batch gaps = new Batch(
                0,
                List.of(),
                List.of(),
                List.of(new Gap("TRUNCATED", 3, 8), new Gap("REPLACED", 3, 8), new Gap("TRUNCATED", 8, 9)),
                null,
                Batch.Cause.TIME,
                false);
        assertThat(store.write(gaps, null, false)).isEqualTo(new Outcome.Stored(0, 0, 0));
        assertThat(store.write(gaps, null, true)).isEqualTo(new Outcome.Stored(0, 0, 0));
        Outcome moved = store.write(batch(FIRST, row(0, "7", 1, null)), null, false);
        assertThat(moved).isEqualTo(new Outcome.Stored(1, 0, 0));
        assertThat(store.write(gaps, FIRST, true)).isEqualTo(new Outcome.Stored(0, 0, 0));
        assertThat(Database.column("SELECT reason || ' ' || from_position || ' ' || to_position FROM log_gap"))
                .containsExactlyInAnyOrder("TRUNCATED 3 8", "REPLACED 3 8", "TRUNCATED 8 9");
    }

    @Test
    void missingTableIsNoFaultOfTheRows() throws Exception {
        Database.execute("ALTER TABLE messages RENAME TO hidden");
        try {
            assertThatThrownBy(() -> store.write(batch(FIRST, row(0, "7", 1, null)), null, false))
                    .isInstanceOf(StoreUnavailable.class)
                    .hasMessageContaining("42P01");
        } finally {
            Database.execute("ALTER TABLE hidden RENAME TO messages");
        }
        assertThat(store.position(0)).isEmpty();
        assertThat(store.write(batch(FIRST, row(0, "7", 1, null)), null, true)).isEqualTo(new Outcome.Stored(1, 0, 0));
    }

    @Test
    void nameKeepsItsNumber() throws Exception {
        Outcome first = store.write(batch(FIRST, row(0, "7", 1, null), row(1, "8", 1, null)), null, false);
        assertThat(first).isEqualTo(new Outcome.Stored(2, 0, 0));
        PostgresStore another = store(RowsStoredListener.NONE);
        Outcome second = another.write(batch(SECOND, row(2, "8", 1, null), row(3, "7", 1, null)), FIRST, false);
        assertThat(second).isEqualTo(new Outcome.Stored(2, 0, 0));
        assertThat(Database.column("SELECT room_id || ' ' || user_id FROM messages JOIN rooms USING (room)"
                        + " JOIN users USING (usr) ORDER BY position"))
                .containsExactly("7 42", "8 42", "8 42", "7 42");
        assertThat(Database.number("SELECT count(*) FROM rooms")).isEqualTo(2);
        assertThat(Database.number("SELECT count(*) FROM users")).isEqualTo(1);
    }

    @Test
    void restoredDatabaseReloadsNumbers() throws Exception {
        Outcome unused = store.write(batch(FIRST, row(0, "7", 1, null)), null, false);
        Database.execute(
                "TRUNCATE messages, log_position; DELETE FROM rooms; INSERT INTO rooms (room_id) VALUES ('8')");
        Database.execute("ALTER SEQUENCE rooms_room_seq RESTART WITH 1; UPDATE rooms SET room = DEFAULT");
        assertThat(store.write(batch(SECOND, row(2048, "7", 1, null)), FIRST, false))
                .isEqualTo(new Outcome.Fenced());
        assertThat(store.position(0)).isEmpty();
        assertThat(store.write(batch(SECOND, row(2048, "7", 1, null)), null, false))
                .isEqualTo(new Outcome.Stored(1, 0, 0));
        assertThat(Database.column("SELECT room_id FROM messages JOIN rooms USING (room)"))
                .containsExactly("7");
    }

    /** A replica without the last commit took over, and the pool replaced its dead connections. */
    @Test
    void newConnectionReloadsNumbers() throws Exception {
        Outcome unused = store.write(batch(FIRST, row(0, "7", 1, null)), null, false);
        Database.execute("DELETE FROM messages; DELETE FROM log_position; DELETE FROM users; DELETE FROM rooms");
        pools.writing().unwrap(HikariDataSource.class).getHikariPoolMXBean().softEvictConnections();
        Batch ofAnotherPartition =
                new Batch(1, List.of(row(1, "7", 1, null)), List.of(), List.of(), FIRST, Batch.Cause.SIZE, false);
        assertThat(store.write(ofAnotherPartition, null, false)).isEqualTo(new Outcome.Stored(1, 0, 0));
        assertThat(Database.column("SELECT room_id || ' ' || user_id FROM messages LEFT JOIN rooms USING (room)"
                        + " LEFT JOIN users USING (usr)"))
                .containsExactly("7 42");
    }

    @Test
    void listenerReceivesEachRowOnceAndNoDuplicate() throws Exception {
        List<String> received = new ArrayList<>();
        PostgresStore notifying = store((connection, fresh, late) ->
                fresh.forEach(row -> received.add(row.message().position() + " " + row.room() + " " + row.user())));
        long room = Database.number("INSERT INTO rooms (room_id) VALUES ('7') RETURNING room");
        long user = Database.number("INSERT INTO users (user_id) VALUES ('42') RETURNING usr");
        Outcome first = notifying.write(batch(FIRST, row(0, "7", 1, null), row(1, "7", 1, null)), null, false);
        assertThat(first).isEqualTo(new Outcome.Stored(2, 0, 0));
        assertThat(received).containsExactly("0 " + room + " " + user, "1 " + room + " " + user);
        received.clear();
        Batch mixed = batch(
                SECOND,
                claim(2048, "7", "42", "alice42", MessageType.TEXT, "hi"),
                row(2049, "7", 1, null),
                row(2049, "7", 1, null),
                claim(2050, "7", "42", "alice42", MessageType.TEXT, "another"),
                row(2051, "7", Long.MAX_VALUE, null),
                row(2052, "7", 1, null));
        assertThat(counts(notifying.write(mixed, FIRST, false)))
                .isEqualTo(new Outcome.Stored(3, 2, 1, 0, 1, List.of()));
        assertThat(received)
                .containsExactly("2049 " + room + " " + user, "2050 " + room + " " + user, "2052 " + room + " " + user);
        received.clear();
        assertThat(notifying.write(batch(THIRD, row(2049, "7", 1, null)), SECOND, false))
                .isEqualTo(new Outcome.Stored(0, 1, 0));
        assertThat(received).isEmpty();
    }

    @Test
    void listenerWritesInTheRowsTransaction() throws Exception {
        PostgresStore failing = store((connection, fresh, late) -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("INSERT INTO users (user_id) VALUES ('beside')");
                statement.execute("SELECT 1 / 0");
            }
        });
        assertThatThrownBy(() -> failing.write(batch(FIRST, row(0, "7", 1, null)), null, false))
                .isInstanceOf(StoreUnavailable.class)
                .hasMessageContaining("22012");
        assertThat(rows()).isZero();
        assertThat(Database.column("SELECT user_id FROM users")).containsExactly("42");
        assertThat(store.position(0)).isEmpty();
    }

    @Test
    void manyConsumersEnterTheSameNamesAtOnce() throws Exception {
        List<Thread> threads = new ArrayList<>();
        List<Object> outcomes = Collections.synchronizedList(new ArrayList<>());
        for (int consumer = 0; consumer < 4; consumer++) {
            int partition = consumer;
            PostgresStore one = store(RowsStoredListener.NONE);
            List<MessageRow> rows = new ArrayList<>(IntStream.range(0, 500)
                    .mapToObj(i -> row(partition * 1000L + i, "room-" + i, 1, null))
                    .toList());
            Collections.shuffle(rows, new Random(consumer));
            Batch batch = new Batch(partition, rows, List.of(), List.of(), FIRST, Batch.Cause.SIZE, false);
            threads.add(Thread.ofPlatform().start(() -> {
                try {
                    outcomes.add(one.write(batch, null, false));
                } catch (StoreUnavailable failed) {
                    outcomes.add(failed);
                }
            }));
        }
        for (Thread thread : threads) thread.join();
        assertThat(outcomes).hasSize(4).allMatch(new Outcome.Stored(500, 0, 0)::equals);
        assertThat(Database.number("SELECT count(*) FROM rooms")).isEqualTo(500);
        assertThat(Database.number("SELECT count(*) FROM messages JOIN rooms USING (room) WHERE room_id = 'room-77'"))
                .isEqualTo(4);
    }

    @Test
    void nothingIsStoredWhileADeadLetterCannotBeWritten() throws Exception {
        Batch poisoned = batch(FIRST, row(0, "7", 1, null), row(1, "7", Long.MAX_VALUE, null));
        Database.execute("ALTER TABLE dead_letter RENAME TO hidden");
        try {
            assertThatThrownBy(() -> store.write(poisoned, null, false)).isInstanceOf(StoreUnavailable.class);
        } finally {
            Database.execute("ALTER TABLE hidden RENAME TO dead_letter");
        }
        assertThat(rows()).isZero();
        assertThat(store.position(0)).isEmpty();
        assertThat(counts(store.write(poisoned, null, true))).isEqualTo(new Outcome.Stored(1, 0, 1));
    }
}
