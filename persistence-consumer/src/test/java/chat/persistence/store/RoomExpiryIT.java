package chat.persistence.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import chat.persistence.Database;
import chat.persistence.batch.Batch;
import chat.persistence.batch.BatchStore.Outcome;
import chat.persistence.batch.MessageRow;
import chat.persistence.rollup.CheckReport;
import chat.persistence.rollup.Stored;
import chat.protocol.MessageType;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RoomExpiryIT {
    private final Instant now = Instant.now();
    private final Instant longAgo = now.minus(Duration.ofDays(8));

    private Stored stored;
    private int partition;
    private long position;

    @BeforeEach
    void begin() throws Exception {
        Database.empty();
        stored = new Stored();
    }

    @AfterEach
    void end() {
        stored.close();
    }

    private RoomExpiry expiry(Instant at) {
        return new RoomExpiry(stored.pools.writing(), 100, Clock.fixed(at, ZoneOffset.UTC));
    }

    private MessageRow row(String room, MessageType type, Instant time) {
        return new MessageRow(
                UUID.randomUUID(),
                room,
                "42",
                "alice42",
                type,
                type == MessageType.TEXT ? "hi" : null,
                time.toEpochMilli(),
                ++position,
                "server-1",
                null,
                new byte[0]);
    }

    private void store(List<MessageRow> rows) throws Exception {
        Batch batch = new Batch(partition++, rows, List.of(), List.of(), null, Batch.Cause.SIZE, false);
        assertThat(stored.store.write(batch, null, false)).isEqualTo(new Outcome.Stored(rows.size(), 0, 0));
    }

    private void store(String room, MessageType type, Instant time) throws Exception {
        store(List.of(row(room, type, time)));
    }

    private static long count(String table) {
        return Database.number("SELECT count(*) FROM " + table);
    }

    @Test
    void roomsThatWereOnlyJoinedExpireAfterAWeek() throws Exception {
        int joined = RoomExpiry.ROOMS + 500;
        List<MessageRow> rows = new ArrayList<>();
        for (int i = 0; i < joined; i++) {
            rows.add(row("joined-" + i, MessageType.JOIN, longAgo));
            rows.add(row("joined-" + i, MessageType.LEAVE, longAgo));
        }
        store(rows);
        store("spoken", MessageType.TEXT, longAgo);
        store("spoken", MessageType.JOIN, longAgo);
        store("lately", MessageType.JOIN, longAgo);
        store("lately", MessageType.JOIN, now.minus(Duration.ofDays(6)));
        assertThat(stored.rollups.fold()).isEqualTo(2 * joined + 4);
        assertThat(expiry(now).run()).isEqualTo(joined);
        for (String table : new String[] {"rooms", "room_total", "user_room"})
            assertThat(count(table)).as(table).isEqualTo(2);
        assertThat(count("messages")).isEqualTo(4);
        assertThat(expiry(now).run()).isZero();
    }

    @Test
    void roomsThatRetentionHasEmptiedExpire() throws Exception {
        store("emptied", MessageType.TEXT, longAgo);
        stored.rollups.fold();
        Database.execute("DELETE FROM messages");
        assertThat(expiry(now).run()).isEqualTo(1);
        assertThat(count("rooms")).isZero();
    }

    @Test
    void nothingExpiresThatIsNotCountedYet() throws Exception {
        store("joined", MessageType.JOIN, longAgo);
        assertThat(expiry(now).run()).isZero();
        assertThat(count("messages")).isEqualTo(1);
    }

    @Test
    void writerReloadsADeletedNumber() throws Exception {
        store("room", MessageType.JOIN, longAgo);
        stored.rollups.fold();
        assertThat(expiry(now).run()).isEqualTo(1);
        store("room", MessageType.TEXT, now);
        assertThat(count("messages JOIN rooms USING (room) WHERE room_id = 'room'"))
                .isEqualTo(1);
    }

    @Test
    void batchInProgressKeepsItsNumbers() throws Exception {
        store("room", MessageType.JOIN, longAgo);
        stored.rollups.fold();
        KeyAssignment numbering = new KeyAssignment();
        List<MessageRow> rows = List.of(row("room", MessageType.TEXT, now));
        try (Connection connection = stored.pools.writing().getConnection();
                Statement statement = connection.createStatement()) {
            KeyAssignment.Numbered numbered = numbering.of(connection, rows);
            assertThat(numbering.hold(connection, numbered)).isTrue();
            assertThatThrownBy(expiry(now)::run).isInstanceOf(SQLException.class);
            assertThat(count("rooms")).isEqualTo(1);
            connection.rollback();
            assertThat(expiry(now).run()).isEqualTo(1);
            assertThat(numbering.hold(connection, numbered)).isFalse();
            connection.rollback();
            KeyAssignment.Numbered again = numbering.of(connection, rows);
            assertThat(again.rows().getFirst().room())
                    .isNotEqualTo(numbered.rows().getFirst().room());
            assertThat(numbering.hold(connection, again)).isTrue();
            statement.execute("SELECT 1");
            connection.rollback();
        }
    }

    private CompletableFuture<Integer> expireAndAwaitItsLock() {
        CompletableFuture<Integer> expiring = CompletableFuture.supplyAsync(() -> {
            try {
                return expiry(now).run();
            } catch (SQLException failed) {
                throw new CompletionException(failed);
            }
        });
        await().until(() ->
                Database.number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted") == 1);
        return expiring;
    }

    @Test
    void roomThatIsUsedWhileTotalsAreLockedKeepsItsEventsAndTotals() throws Exception {
        store("room", MessageType.JOIN, longAgo);
        stored.rollups.fold();
        CompletableFuture<Integer> expiring;
        try (Connection folding = stored.pools.writing().getConnection();
                Statement statement = folding.createStatement()) {
            statement.execute("SELECT pg_advisory_xact_lock(" + AdvisoryLocks.FOLD + ")");
            expiring = expireAndAwaitItsLock();
            store("room", MessageType.JOIN, now);
            store("room", MessageType.TEXT, now);
            folding.rollback();
        }
        assertThat(expiring.join()).isZero();
        stored.rollups.fold();
        assertThat(count("messages")).isEqualTo(3);
        assertThat(Database.number("SELECT messages FROM room_total")).isEqualTo(3);
        assertThat(Database.number("SELECT messages FROM user_room")).isEqualTo(3);
    }

    @Test
    void roomUsedByABatchInProgressIsKept() throws Exception {
        store("room", MessageType.JOIN, longAgo);
        store("silent", MessageType.JOIN, longAgo);
        stored.rollups.fold();
        CompletableFuture<Integer> expiring;
        try (Connection batch = stored.pools.writing().getConnection();
                Statement statement = batch.createStatement()) {
            statement.execute("SELECT pg_advisory_xact_lock_shared(" + AdvisoryLocks.NUMBERS + ")");
            expiring = expireAndAwaitItsLock();
            statement.execute("""
                    INSERT INTO messages
                      (message_id, position, timestamp, room, usr, username, message_type, content, server_id)
                    SELECT gen_random_uuid(), 99, now(), room, usr, 'alice42', 'TEXT', 'hi', 'server-1'
                    FROM rooms, users WHERE room_id = 'room'""");
            batch.commit();
        }
        assertThat(expiring.join()).isEqualTo(1);
        assertThat(Database.column("SELECT room_id FROM rooms")).containsExactly("room");
        assertThat(count("messages")).isEqualTo(2);
        assertThat(Database.number("SELECT messages FROM room_total")).isEqualTo(1);
        assertThat(Database.number("SELECT messages FROM user_room")).isEqualTo(1);
    }

    @Test
    void roomWithMoreEventsThanOneStepDeletesExpires() throws Exception {
        List<MessageRow> rows = new ArrayList<>();
        for (int i = 0; i < 250; i++) rows.add(row("many", MessageType.JOIN, longAgo));
        rows.add(row("few", MessageType.JOIN, longAgo));
        store(rows);
        stored.rollups.fold();
        assertThat(expiry(now).run()).isEqualTo(2);
        for (String table : new String[] {"rooms", "room_total", "user_room", "messages"})
            assertThat(count(table)).as(table).isZero();
    }

    @Test
    void expiredRoomsAreNoDifferenceForTheCheckOfCounts() throws Exception {
        store("joined", MessageType.JOIN, longAgo);
        store("joined", MessageType.LEAVE, longAgo);
        store("spoken", MessageType.TEXT, now);
        stored.rollups.fold();
        assertThat(expiry(now).run()).isEqualTo(1);
        CheckReport report = stored.rollups.check();
        assertThat(report.equal()).isTrue();
        assertThat(report.expired()).isEqualTo(2);
        assertThat(report.note()).startsWith("2 JOINs and LEAVEs were deleted with rooms without texts");
        Database.execute("UPDATE user_total SET messages = messages + 1");
        assertThat(stored.rollups.check().equal()).as("beyond what has expired").isFalse();
        Database.execute("SELECT rollup_rebuild()");
        report = stored.rollups.check();
        assertThat(report.equal()).isTrue();
        assertThat(report.expired()).isZero();
    }

    @Test
    void everyTextHasItsRoomThoughRoomsExpireMeanwhile() throws Exception {
        // It takes every room without a text for a silent one.
        RoomExpiry expiry = expiry(now.plus(Duration.ofDays(30)));
        int texts = 300;
        Thread writer = Thread.ofPlatform().start(() -> {
            try {
                for (int i = 0; i < texts; i++) {
                    store("room-" + i / 2, MessageType.JOIN, now);
                    store("room-" + i / 2, MessageType.TEXT, now);
                }
            } catch (Exception failed) {
                throw new IllegalStateException(failed);
            }
        });
        while (writer.isAlive()) {
            stored.rollups.fold();
            expiry.run();
        }
        writer.join();
        assertThat(count("messages JOIN rooms USING (room) WHERE message_type = 'TEXT'"))
                .isEqualTo(texts);
    }
}
