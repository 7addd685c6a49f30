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
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
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
        pools = new Pools(
                new PostgresProperties(
                        "postgres://" + Database.node().user() + ":"
                                + Database.node().password() + "@127.0.0.1:"
                                + Database.node().port() + "/confab",
                        "",
                        "",
                        "",
                        Duration.ofSeconds(3),
                        Duration.ofSeconds(10),
                        new PostgresProperties.Writing(2),
                        new PostgresProperties.Reading(1, Duration.ofSeconds(5))),
                1,
                new SimpleMeterRegistry());
        store = new PostgresStore(pools.writing());
        store.prepare();
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
                List.of(new DeadLetter(null, 9, null, "why\0not", new byte[] {7})),
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
}
