package chat.persistence.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import chat.persistence.Database;
import chat.persistence.batch.Batch;
import chat.persistence.batch.BatchStore.Outcome;
import chat.persistence.batch.MessageRow;
import chat.protocol.MessageType;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MonthPartitionsIT {
    private static final List<String> ALWAYS_THERE = List.of("messages_default", "messages_high", "messages_low");
    private static final StoreProperties PROPERTIES = new StoreProperties(0, 30);
    private static final int AHEAD = 2;

    private Pools pools;
    private long stored;

    @BeforeEach
    void begin() {
        Database.empty();
        pools = StorePools.of(Database.node());
    }

    @AfterEach
    void end() {
        pools.close();
    }

    private static Clock at(String instant) {
        return Clock.fixed(Instant.parse(instant), ZoneOffset.UTC);
    }

    private PostgresStore store(String now) throws Exception {
        PostgresStore store = new PostgresStore(pools.writing(), RowsStoredListener.NONE, at(now), AHEAD);
        store.prepare();
        return store;
    }

    /** A UUIDv7. */
    private static UUID id(String instant) {
        return new UUID((Instant.parse(instant).toEpochMilli() << 16) | 0x7abc, 0x8123_4567_89ab_cdefL);
    }

    private void store(PostgresStore store, UUID... ids) throws Exception {
        List<MessageRow> rows = Arrays.stream(ids)
                .map(id -> new MessageRow(
                        id, "7", "42", "alice42", MessageType.TEXT, "hi", 1, ++stored, "server-1", null, new byte[0]))
                .toList();
        Batch batch = new Batch((int) stored, rows, List.of(), List.of(), null, Batch.Cause.SIZE, false);
        assertThat(store.write(batch, null, false)).isEqualTo(new Outcome.Stored(ids.length, 0, 0));
    }

    private static List<String> partitions() {
        return Database.column("""
                SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'messages'::regclass
                ORDER BY 1""");
    }

    private static List<String> places() {
        return Database.column("SELECT tableoid::regclass::text FROM messages ORDER BY position");
    }

    private static List<String> withAlways(String... months) {
        return Stream.concat(Arrays.stream(months), ALWAYS_THERE.stream()).toList();
    }

    @Test
    void currentAndNextMonthsExistFromTheStart() throws Exception {
        store("2026-11-30T23:59:59.999Z");
        assertThat(partitions()).isEqualTo(withAlways("messages_2026_11", "messages_2026_12", "messages_2027_01"));
        store("2026-12-01T00:00:00Z");
        assertThat(partitions())
                .isEqualTo(withAlways("messages_2026_11", "messages_2026_12", "messages_2027_01", "messages_2027_02"));
    }

    @Test
    void rowIsInTheMonthOfItsId() throws Exception {
        PostgresStore store = store("2026-11-15T12:00:00Z");
        store(
                store,
                id("2026-11-01T00:00:00Z"),
                id("2026-11-30T23:59:59.999Z"),
                id("2026-12-01T00:00:00Z"),
                id("2026-10-31T23:59:59.999Z"),
                new UUID(0, 0),
                new UUID(-1, -1));
        assertThat(places())
                .containsExactly(
                        "messages_2026_11",
                        "messages_2026_11",
                        "messages_2026_12",
                        "messages_default",
                        "messages_low",
                        "messages_high");
    }

    @Test
    void idIsUniqueOverMonths() throws Exception {
        PostgresStore store = store("2026-11-15T12:00:00Z");
        UUID early = id("2027-03-01T00:00:00Z");
        store(store, early);
        PostgresStore later = store("2027-03-02T00:00:00Z");
        MessageRow again = new MessageRow(
                early, "7", "42", "alice42", MessageType.TEXT, "hi", 1, 99, "server-1", null, new byte[0]);
        Batch batch = new Batch(0, List.of(again), List.of(), List.of(), null, Batch.Cause.SIZE, false);
        assertThat(later.write(batch, null, false)).isEqualTo(new Outcome.Stored(0, 1, 0));
        assertThat(places()).containsExactly("messages_2027_03");
    }

    @Test
    void rowsThatCameBeforeTheirMonthMoveIntoIt() throws Exception {
        PostgresStore store = store("2026-11-15T12:00:00Z");
        store(store, id("2027-02-28T23:59:59.999Z"), id("2027-03-01T00:00:00Z"), id("2027-04-01T00:00:00Z"));
        assertThat(places()).containsExactly("messages_default", "messages_default", "messages_default");
        store("2027-01-01T00:00:00Z");
        assertThat(places()).containsExactly("messages_2027_02", "messages_2027_03", "messages_default");
    }

    @Test
    void monthIsCreatedWhileRowsAreWritten() throws Exception {
        PostgresStore store = store("2026-11-15T12:00:00Z");
        Thread creator = Thread.ofPlatform().start(() -> {
            try {
                for (int month = 1; month <= 12; month++)
                    new MonthPartitions(
                                    pools.writing(), 2, at(String.format(Locale.ROOT, "2027-%02d-01T00:00:00Z", month)))
                            .create();
            } catch (Exception failed) {
                throw new IllegalStateException(failed);
            }
        });
        int rows = 0;
        while (creator.isAlive() && rows < 5_000) {
            for (int month = 3; month <= 12; month++)
                store(store, id(String.format(Locale.ROOT, "2027-%02d-01T00:00:00.%03dZ", month, rows++ / 10 % 1000)));
        }
        creator.join();
        assertThat(Database.number("SELECT count(*) FROM messages")).isEqualTo(rows);
        assertThat(Database.number("SELECT count(*) FROM messages_default")).isZero();
    }

    /** Rows with ids of a month, which clients choose. */
    private void storeMany(String month, String timestamp, int rows) {
        Database.execute(String.format(Locale.ROOT, """
                INSERT INTO messages (message_id, position, timestamp, room, usr, username, message_type, content, server_id)
                SELECT (substr(hex, 1, 8) || '-' || substr(hex, 9, 4) || '-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
                       %4$d + n, '%2$s', 1, 1, 'alice', 'TEXT', 'hi', 'server-1'
                FROM generate_series(1, %3$d) AS n,
                     lpad(to_hex((extract(epoch FROM timestamptz '%1$s') * 1000)::bigint), 12, '0') AS hex""", month, timestamp, rows, stored));
        stored += rows;
    }

    /** Runs a step while a transaction writes into all partitions. */
    private <T> T whileSomebodyWrites(Callable<T> step) throws Exception {
        try (Connection writer = pools.writing().getConnection();
                Statement statement = writer.createStatement()) {
            statement.execute("LOCK TABLE messages IN ROW EXCLUSIVE MODE");
            T result = step.call();
            writer.rollback();
            return result;
        }
    }

    @Test
    void monthWithTooManyEarlyRowsHoldsUpNoWriterAndIsNotCreated() throws Exception {
        store("2026-11-15T12:00:00Z");
        storeMany("2027-03-01T00:00:00Z", "2026-11-15T12:00:00Z", MonthPartitions.MOST_MOVED + 1);
        MonthPartitions months = new MonthPartitions(pools.writing(), 2, at("2027-02-01T00:00:00Z"));
        Database.execute("CREATE TABLE messages_2027_02 PARTITION OF messages FOR VALUES FROM ('"
                + MonthPartitions.firstIdOf(YearMonth.of(2027, 2)) + "') TO ('"
                + MonthPartitions.firstIdOf(YearMonth.of(2027, 3))
                + "')");
        Database.execute("CREATE TABLE messages_2027_04 PARTITION OF messages FOR VALUES FROM ('"
                + MonthPartitions.firstIdOf(YearMonth.of(2027, 4)) + "') TO ('"
                + MonthPartitions.firstIdOf(YearMonth.of(2027, 5))
                + "')");
        assertThat(whileSomebodyWrites(months::create)).isEqualTo(1);
        assertThat(partitions()).doesNotContain("messages_2027_03");
        assertThat(Database.number("SELECT count(*) FROM messages_default")).isEqualTo(MonthPartitions.MOST_MOVED + 1);
        PostgresStore later = store("2027-03-15T12:00:00Z");
        store(later, id("2027-03-15T12:00:00Z"));
        assertThat(Database.number("SELECT count(*) FROM messages_default")).isEqualTo(MonthPartitions.MOST_MOVED + 2);
    }

    @Test
    void earlyRowsUpToTheBoundMoveInOneStep() throws Exception {
        store("2026-11-15T12:00:00Z");
        storeMany("2027-03-01T00:00:00Z", "2026-11-15T12:00:00Z", MonthPartitions.MOST_MOVED);
        assertThat(new MonthPartitions(pools.writing(), 2, at("2027-01-01T00:00:00Z")).create())
                .isZero();
        assertThat(Database.number("SELECT count(*) FROM messages_2027_03")).isEqualTo(MonthPartitions.MOST_MOVED);
    }

    @Test
    void oldMonthWithTooManyYoungRowsHoldsUpNoWriterAndStaysUntilTheyAreOld() throws Exception {
        PostgresStore store = store("2026-09-01T00:00:00Z");
        storeAt(store, "2026-09-10T00:00:00Z", "2026-09-10T00:00:00Z");
        storeMany("2026-09-20T00:00:00Z", "2026-12-20T00:00:00Z", MonthPartitions.MOST_MOVED + 1);
        Database.execute("DROP TABLE messages_2026_10, messages_2026_11");
        Retention early = new Retention(pools.writing(), KEEP, 100, at("2026-12-31T00:00:00Z"));
        assertThat(whileSomebodyWrites(early::run)).isEqualTo(1);
        assertThat(Database.number("SELECT count(*) FROM messages_2026_09")).isEqualTo(MonthPartitions.MOST_MOVED + 1);
        Retention later = new Retention(pools.writing(), KEEP, 100, at("2027-03-31T00:00:00Z"));
        assertThat(later.run()).isEqualTo(MonthPartitions.MOST_MOVED + 1);
        assertThat(partitions()).isEqualTo(ALWAYS_THERE);
    }

    private static final Duration KEEP = Duration.ofDays(60);

    /** At the middle of the month of its id, unless the test sets another time. */
    private void storeAt(PostgresStore store, String id, String timestamp) throws Exception {
        MessageRow row = new MessageRow(
                id(id),
                "7",
                "42",
                "alice42",
                MessageType.TEXT,
                id + " at " + timestamp,
                Instant.parse(timestamp).toEpochMilli(),
                ++stored,
                "server-1",
                null,
                new byte[0]);
        Batch batch = new Batch((int) stored, List.of(row), List.of(), List.of(), null, Batch.Cause.SIZE, false);
        assertThat(store.write(batch, null, false)).isEqualTo(new Outcome.Stored(1, 0, 0));
    }

    @Test
    void onlyExpiredMonthsAreRemoved() throws Exception {
        PostgresStore store = store("2026-09-01T00:00:00Z");
        store("2026-11-01T00:00:00Z");
        storeAt(store, "2026-09-10T00:00:00Z", "2026-09-10T00:00:00Z");
        storeAt(store, "2026-09-20T00:00:00Z", "2026-12-20T00:00:00Z");
        storeAt(store, "2026-11-10T00:00:00Z", "2026-11-10T00:00:00Z");
        storeAt(store, "2019-09-10T00:00:00Z", "2026-09-10T00:00:00Z");
        storeAt(store, "2019-09-10T00:00:01Z", "2026-12-20T00:00:00Z");
        storeAt(store, "2022-09-10T00:00:01Z", "2026-09-10T00:00:00Z");
        storeAt(store, "2101-09-10T00:00:01Z", "2026-09-10T00:00:00Z");
        long removed = new Retention(pools.writing(), KEEP, 1, at("2026-12-31T00:00:00Z")).run();
        assertThat(removed).isEqualTo(4);
        assertThat(Database.column("SELECT content || ' in ' || tableoid::regclass FROM messages ORDER BY position"))
                .containsExactly(
                        "2026-09-20T00:00:00Z at 2026-12-20T00:00:00Z in messages_default",
                        "2026-11-10T00:00:00Z at 2026-11-10T00:00:00Z in messages_2026_11",
                        "2019-09-10T00:00:01Z at 2026-12-20T00:00:00Z in messages_low");
        assertThat(partitions()).isEqualTo(withAlways("messages_2026_11", "messages_2026_12", "messages_2027_01"));
    }

    /** Both with ids of September. */
    private void storeOneToGoAndOneToStay() throws Exception {
        PostgresStore store = store("2026-09-01T00:00:00Z");
        storeAt(store, "2026-09-10T00:00:00Z", "2026-09-10T00:00:00Z");
        storeAt(store, "2026-09-20T00:00:00Z", "2026-12-20T00:00:00Z");
    }

    @Test
    void rowsStayVisibleWhileAMonthCannotBeDropped() throws Exception {
        storeOneToGoAndOneToStay();
        Database.execute("CREATE VIEW in_the_way AS SELECT message_id FROM messages_2026_09");
        Retention retention = new Retention(pools.writing(), KEEP, 100, at("2026-12-31T00:00:00Z"));
        assertThatThrownBy(retention::run).isInstanceOf(SQLException.class);
        assertThat(Database.column("SELECT content FROM messages"))
                .containsExactly("2026-09-20T00:00:00Z at 2026-12-20T00:00:00Z");
        Database.execute("DROP VIEW in_the_way");
        assertThat(retention.run()).isEqualTo(1);
    }

    @Test
    void detachedMonthIsDroppedByTheNextRun() throws Exception {
        storeOneToGoAndOneToStay();
        Database.execute("ALTER TABLE messages DETACH PARTITION messages_2026_09");
        Retention retention = new Retention(pools.writing(), KEEP, 100, at("2026-12-31T00:00:00Z"));
        assertThat(retention.run()).isEqualTo(1);
        assertThat(Database.column("SELECT content FROM messages"))
                .containsExactly("2026-09-20T00:00:00Z at 2026-12-20T00:00:00Z");
        assertThat(retention.run()).isZero();
        assertThat(Database.number("SELECT count(*) FROM pg_class WHERE relname = 'messages_2026_09'"))
                .isZero();
    }

    @Test
    void failedMaintenanceIsCountedAndRetried() throws Exception {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        Maintenance maintenance =
                new Maintenance(pools.writing(), PROPERTIES, meters, at("2026-11-15T00:00:00Z"), AHEAD);
        maintenance.run();
        assertThat(meters.counter("persistence.maintenance.failures").count()).isEqualTo(1);
        store("2026-09-15T00:00:00Z");
        maintenance.run();
        assertThat(meters.counter("persistence.maintenance.failures").count()).isEqualTo(1);
        assertThat(partitions()).contains("messages_2027_01");
    }
}
