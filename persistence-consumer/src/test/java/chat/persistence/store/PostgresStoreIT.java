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
import chat.protocol.MessageType;
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
        store = store(StoredRows.UNHEARD);
        store.prepare();
    }

    private PostgresStore store(StoredRows listener) {
        return new PostgresStore(
                pools.writing(), new StoreProperties(1_000, 2, 0, Duration.ofHours(1)), listener, Clock.systemUTC());
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
    void preparingAgainChangesNothing() throws Exception {
        store.prepare();
        assertThat(store.position(0)).isEmpty();
    }

    /** A commit of Flyway's history fails, as if its connection had broken just then. */
    @Test
    void aMigrationWhoseHistoryCouldNotBeWrittenIsMadeAgain() throws Exception {
        Database.empty();
        Database.migrate("3");
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
    void theSameIdTwiceInOneBatchIsOneRow() throws Exception {
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

    @Test
    void anotherMessageUnderAStoredIdIsKeptAsADeadLetter() throws Exception {
        Outcome unused = store.write(batch(FIRST, row(0, "7", 1, null)), null, false);
        Batch claims = batch(
                SECOND,
                row(2048, "7", 1, null),
                claim(1, "8", "42", "alice42", MessageType.TEXT, "hi"),
                claim(2, "7", "43", "alice42", MessageType.TEXT, "hi"),
                claim(3, "7", "42", "alice43", MessageType.TEXT, "hi"),
                claim(4, "7", "42", "alice42", MessageType.LEAVE, null),
                claim(5, "7", "42", "alice42", MessageType.TEXT, "Hi"),
                claim(6, "7", "42", "alice42", MessageType.TEXT, "hi"));
        assertThat(store.write(claims, FIRST, false)).isEqualTo(new Outcome.Stored(1, 1, 5));
        assertThat(rows()).isEqualTo(2);
        UUID id = new UUID(1, 0);
        assertThat(deadLetters())
                .containsExactly(
                        "1 8 CONFLICT 01 " + id,
                        "2 7 CONFLICT 02 " + id,
                        "3 7 CONFLICT 03 " + id,
                        "4 7 CONFLICT 04 " + id,
                        "5 7 CONFLICT 05 " + id);
    }

    @Test
    void ofTwoMessagesUnderOneIdInOneBatchTheFirstIsStored() throws Exception {
        Batch batch = batch(
                FIRST,
                claim(7, "7", "42", "alice42", MessageType.TEXT, "first"),
                claim(8, "7", "42", "alice42", MessageType.TEXT, "second"),
                claim(9, "7", "42", "alice42", MessageType.TEXT, "first"));
        assertThat(store.write(batch, null, false)).isEqualTo(new Outcome.Stored(1, 1, 1));
        assertThat(Database.column("SELECT content || ' ' || position FROM messages"))
                .containsExactly("first 7");
        assertThat(deadLetters()).containsExactly("8 7 CONFLICT 08 " + new UUID(1, 0));
    }

    @Test
    void conflictsAreFoundBesideRowsThatAreRefused() throws Exception {
        Batch batch = batch(
                FIRST,
                row(0, "7", 1, null),
                claim(5, "7", "42", "alice42", MessageType.TEXT, "a\0b"),
                claim(6, "7", "42", "alice42", MessageType.TEXT, "another"),
                row(7, "", 1, null));
        assertThat(store.write(batch, null, false)).isEqualTo(new Outcome.Stored(1, 0, 3));
        assertThat(Database.column("SELECT position FROM dead_letter WHERE reason = 'CONFLICT'"))
                .containsExactly("6");
        assertThat(Database.column("SELECT position FROM dead_letter WHERE reason <> 'CONFLICT' ORDER BY position"))
                .containsExactly("5", "7");
    }

    @Test
    void whoComesSecondWritesNothing() throws Exception {
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
    void aBatchThatWasCommittedUnnoticedIsKnownAgain() throws Exception {
        Outcome unnoticed = store.write(batch(FIRST, row(0, "7", 1, null)), null, false);
        assertThat(store.write(batch(FIRST, row(0, "7", 1, null)), null, true)).isEqualTo(unnoticed);
        assertThat(rows()).isEqualTo(1);
    }

    @Test
    void everyKindOfRefusalEndsInTheDeadLettersAndTheRestIsStored() throws Exception {
        MessageRow good = row(0, "7", 1, null);
        Batch batch = batch(
                FIRST,
                row(1, "", 1, null),
                row(2, "7", Long.MAX_VALUE, null),
                good,
                row(3, "7", 1, "300.1.2.3"),
                row(4, "a\0b", 1, null));
        assertThat(store.write(batch, null, false)).isEqualTo(new Outcome.Stored(1, 0, 4));
        assertThat(Database.column("SELECT position FROM messages")).containsExactly("0");
        assertThat(Database.column("SELECT position FROM dead_letter ORDER BY position"))
                .containsExactly("1", "2", "3", "4");
    }

    @Test
    void deadLettersAndGapsOfTheBatchAreWritten() throws Exception {
        Batch batch = new Batch(
                0,
                List.of(),
                List.of(new DeadLetter(null, 9, null, "why\0not", null, null, new byte[] {7})),
                List.of(new Gap("TRUNCATED", 3, 8)),
                null,
                Batch.Cause.TIME,
                false);
        assertThat(store.write(batch, null, false)).isEqualTo(new Outcome.Stored(0, 0, 1));
        assertThat(store.position(0)).isEmpty();
        assertThat(Database.column("SELECT reason FROM dead_letter")).containsExactly("why?not");
        assertThat(Database.column("SELECT reason || ' ' || from_position || ' ' || to_position FROM log_gap"))
                .containsExactly("TRUNCATED 3 8");
    }

    @Test
    void aTableThatIsAwayIsNoFaultOfTheRows() throws Exception {
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
    void aNameHasOneNumberForEver() throws Exception {
        Outcome first = store.write(batch(FIRST, row(0, "7", 1, null), row(1, "8", 1, null)), null, false);
        assertThat(first).isEqualTo(new Outcome.Stored(2, 0, 0));
        PostgresStore another = store(StoredRows.UNHEARD);
        Outcome second = another.write(batch(SECOND, row(2, "8", 1, null), row(3, "7", 1, null)), FIRST, false);
        assertThat(second).isEqualTo(new Outcome.Stored(2, 0, 0));
        assertThat(Database.column("SELECT room_id || ' ' || user_id FROM messages JOIN rooms USING (room)"
                        + " JOIN users USING (usr) ORDER BY position"))
                .containsExactly("7 42", "8 42", "8 42", "7 42");
        assertThat(Database.number("SELECT count(*) FROM rooms")).isEqualTo(2);
        assertThat(Database.number("SELECT count(*) FROM users")).isEqualTo(1);
    }

    @Test
    void numbersOfADatabaseThatWasRestoredAreAskedForAnew() throws Exception {
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

    /** As where a replica took over that had not received the last commit: the pool puts others for its dead connections. */
    @Test
    void numbersAreAskedForAnewOnANewConnection() throws Exception {
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
    void whatHearsOfRowsHearsOfEachOnceAndOfNoDuplicate() throws Exception {
        List<String> heard = new ArrayList<>();
        PostgresStore told = store((connection, fresh, late) ->
                fresh.forEach(row -> heard.add(row.message().position() + " " + row.room() + " " + row.user())));
        long room = Database.number("INSERT INTO rooms (room_id) VALUES ('7') RETURNING room");
        long user = Database.number("INSERT INTO users (user_id) VALUES ('42') RETURNING usr");
        Outcome first = told.write(batch(FIRST, row(0, "7", 1, null), row(1, "7", 1, null)), null, false);
        assertThat(first).isEqualTo(new Outcome.Stored(2, 0, 0));
        assertThat(heard).containsExactly("0 " + room + " " + user, "1 " + room + " " + user);
        heard.clear();
        Batch mixed = batch(
                SECOND,
                claim(2048, "7", "42", "alice42", MessageType.TEXT, "hi"),
                row(2049, "7", 1, null),
                row(2049, "7", 1, null),
                claim(2050, "7", "42", "alice42", MessageType.TEXT, "another"),
                row(2051, "7", Long.MAX_VALUE, null),
                row(2052, "7", 1, null));
        assertThat(told.write(mixed, FIRST, false)).isEqualTo(new Outcome.Stored(2, 2, 2));
        assertThat(heard).containsExactly("2049 " + room + " " + user, "2052 " + room + " " + user);
        heard.clear();
        assertThat(told.write(batch(THIRD, row(2049, "7", 1, null)), SECOND, false))
                .isEqualTo(new Outcome.Stored(0, 1, 0));
        assertThat(heard).isEmpty();
    }

    @Test
    void whatIsWrittenBesideTheRowsIsWrittenWithThemOrNotAtAll() throws Exception {
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
            PostgresStore one = store(StoredRows.UNHEARD);
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
    void whereADeadLetterCanNotBeWrittenNothingIsUntilItCan() throws Exception {
        Batch poisoned = batch(FIRST, row(0, "7", 1, null), row(1, "7", Long.MAX_VALUE, null));
        Database.execute("ALTER TABLE dead_letter RENAME TO hidden");
        try {
            assertThatThrownBy(() -> store.write(poisoned, null, false)).isInstanceOf(StoreUnavailable.class);
        } finally {
            Database.execute("ALTER TABLE hidden RENAME TO dead_letter");
        }
        assertThat(rows()).isZero();
        assertThat(store.position(0)).isEmpty();
        assertThat(store.write(poisoned, null, true)).isEqualTo(new Outcome.Stored(1, 0, 1));
    }
}
