package chat.persistence.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.log.ForwardingRoomLog;
import chat.log.InMemoryRoomLog;
import chat.log.RoomLog;
import chat.persistence.Database;
import chat.persistence.StoredNotifications;
import chat.persistence.Writer;
import chat.protocol.DerivedId;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import io.micrometer.core.instrument.DistributionSummary;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IngestIT {
    private static final Duration SOON = Duration.ofMinutes(2);
    private static final long LOG_BYTES = 64 << 20;

    private InMemoryRoomLog log = new InMemoryRoomLog(1, LOG_BYTES, Clock.systemUTC());
    /** Whether consumers treat the log as one that outlives their process. */
    private boolean lasting;

    private final List<AutoCloseable> open = new ArrayList<>();

    @BeforeEach
    void begin() {
        Database.empty();
    }

    @AfterEach
    void end() throws Exception {
        for (AutoCloseable each : open.reversed()) each.close();
        log.close();
    }

    private Writer writer() throws InterruptedException {
        return writer(log);
    }

    private Writer writer(RoomLog to) throws InterruptedException {
        Writer writer = new Writer(to, 0);
        open.add(writer);
        return writer.awaitStarted();
    }

    private Consumer consumer() {
        return consumer(Consumer.SETTINGS);
    }

    private Consumer consumer(IngestSettings settings) {
        Consumer consumer = new Consumer(lasting ? new LastingLog(log) : log, settings);
        open.add(consumer);
        return consumer;
    }

    /** Replaces the in-memory log, as a restart of the only process does. */
    private void anotherLog() throws Exception {
        for (AutoCloseable each : open.reversed()) each.close();
        open.clear();
        log.close();
        log = new InMemoryRoomLog(1, LOG_BYTES, Clock.systemUTC());
    }

    private static void awaitRows(long rows) {
        await().atMost(SOON)
                .ignoreExceptions()
                .until(() -> Database.number("SELECT count(*) FROM messages"), count -> count >= rows);
    }

    /** Exactly the accepted messages are stored, each with the position at which it was accepted. */
    private static void assertStored(Map<UUID, Long> accepted) {
        awaitRows(accepted.size());
        Map<String, String> expected = new TreeMap<>();
        accepted.forEach((id, position) -> expected.put(id.toString(), position.toString()));
        Map<String, String> rows = new TreeMap<>();
        for (String row : Database.column("SELECT message_id || ' ' || position FROM messages"))
            rows.put(row.substring(0, 36), row.substring(37));
        assertThat(rows).isEqualTo(expected);
    }

    @Test
    void everyMessageIsStoredOnceWithItsPosition() throws Exception {
        Writer writer = writer();
        Consumer consumer = consumer();
        for (int i = 0; i < 2500; i++) writer.say("room-" + i % 7, "hello " + i);
        writer.join("room-1");
        assertStored(writer.accepted());
        await().atMost(SOON).until(() -> consumer.count("persistence.stored") == 2501);
        assertThat(consumer.count("persistence.duplicates")).isZero();
        assertThat(Database.column("SELECT DISTINCT host(client_ip) || ' ' || server_id || ' ' || user_id || ' '"
                        + " || username FROM messages JOIN users USING (usr)"))
                .containsExactly("10.1.2.3 server-1 42 alice42");
        assertThat(Database.column("SELECT content FROM messages WHERE message_type = 'JOIN'"))
                .containsExactly((String) null);
    }

    @Test
    void sizeAndTimeBothCloseBatches() throws Exception {
        Writer writer = writer();
        for (int i = 0; i < 5000; i++) writer.say("7", "hello " + i);
        int backlog = writer.accepted().size();
        Consumer consumer = consumer();
        awaitRows(backlog);
        await().atMost(SOON).until(() -> consumer.count("persistence.stored") == backlog);
        assertThat(consumer.flushes("size")).isPositive();
        writer.say("7", "alone");
        awaitRows(backlog + 1);
        await().atMost(SOON).until(() -> consumer.flushes("time") > 0);
        DistributionSummary size = consumer.meters.get("persistence.batch.size").summary();
        assertThat(size.totalAmount()).isEqualTo(backlog + 1);
        assertThat((double) size.count()).isEqualTo(consumer.flushes("size") + consumer.flushes("time"));
        assertThat(size.max()).isBetween(1000.0, 999.0 + 2048);
        assertThat(consumer.meters.get("persistence.batch.write").timer().count())
                .isEqualTo(size.count());
    }

    /** By the clocks of log and database and the consumer's timer; of 20 batches, because a machine may stall. */
    @Test
    void tenMessagesAreCommittedWithin100msOfTheFlushTime() throws Exception {
        Writer writer = writer();
        Consumer consumer = consumer();
        await().atMost(SOON).until(() -> consumer.partition().state() == PartitionStatus.State.READING);
        for (int batch = 1; batch <= 20; batch++) {
            for (int i = 0; i < 10; i++) writer.say("7", "hello " + i);
            awaitRows(batch * 10L);
        }
        long flush = Consumer.SETTINGS.batch().age().toMillis();
        assertThat(Database.number("SELECT (extract(epoch FROM percentile_cont(0.5) WITHIN GROUP"
                        + " (ORDER BY created_at - timestamp)) * 1000)::bigint FROM messages"))
                .as("median from intake to the start of the transaction, ms")
                .isLessThan(flush + 100);
        await().atMost(SOON).until(() -> consumer.flushes("time") >= 20);
        assertThat(consumer.meters
                        .get("persistence.batch.write")
                        .timer()
                        .takeSnapshot()
                        .percentileValues())
                .filteredOn(percentile -> percentile.percentile() == 0.5)
                .singleElement()
                .satisfies(median ->
                        assertThat(median.value(TimeUnit.MILLISECONDS)).isBetween(0.01, 100.0));
    }

    @Test
    void duplicateMessageIsOneRow() throws Exception {
        Writer writer = writer();
        Consumer consumer = consumer();
        UUID first = writer.say("7", "once");
        assertStored(writer.accepted());
        writer.say("7", first, "once", System.currentTimeMillis());
        writer.say("7", "another");
        Map<UUID, Long> accepted = writer.accepted();
        assertThat(accepted).hasSize(2);
        assertStored(accepted);
        await().atMost(SOON).until(() -> consumer.count("persistence.duplicates") == 1);
        assertThat(consumer.count("persistence.stored")).isEqualTo(2);
    }

    /** The reader recognizes copies of the server's own entries; ids reveal copies of other servers' messages. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void copiesAreStoredOnceAndCounted(boolean byAnother) throws Exception {
        RepeatingLog repeating = new RepeatingLog(log, byAnother);
        Writer writer = writer(repeating);
        Consumer consumer = consumer();
        for (int i = 0; i < 300; i++) {
            writer.say("room-" + i % 7, "hello " + i);
            assertThat(writer.accepted()).hasSize(i + 1); // in an entry of its own
        }
        writer.say("7", "last");
        assertStored(writer.accepted());
        assertThat(repeating.repeated()).isEqualTo(90);
        // The counter is incremented after the commit.
        await().atMost(SOON).untilAsserted(() -> {
            assertThat(consumer.count("persistence.stored")).isEqualTo(301);
            assertThat(consumer.copies()).isEqualTo(byAnother ? 0 : 90);
            assertThat(consumer.count("persistence.duplicates")).isEqualTo(byAnother ? 90 : 0);
        });
        assertThat(Database.number("SELECT count(*) FROM messages")).isEqualTo(301);
        assertThat(consumer.count("persistence.dead.letters")).isZero();
    }

    @Test
    void anotherMessageUnderAUsedIdIsStoredUnderADerivedId() throws Exception {
        Writer writer = writer();
        Consumer consumer = consumer();
        UUID first = writer.say("7", "mine");
        assertStored(writer.accepted());
        writer.say("7", first, "other", System.currentTimeMillis());
        UUID together = writer.say("7", "one");
        writer.say("7", together, "two", System.currentTimeMillis());
        writer.say("7", together, "two", System.currentTimeMillis());
        writer.say("7", "after");
        writer.accepted();
        await().atMost(SOON).until(() -> consumer.count("persistence.stored") == 5);
        assertThat(consumer.count("persistence.renamed")).isEqualTo(2);
        assertThat(consumer.count("persistence.duplicates")).isEqualTo(1);
        assertThat(consumer.count("persistence.dead.letters")).isZero();
        assertThat(Database.column("SELECT content FROM messages ORDER BY position"))
                .containsExactly("mine", "other", "one", "two", "after");
        RoomId room = new RoomId("7");
        assertThat(Database.column(
                        "SELECT message_id FROM messages WHERE content IN ('other', 'two') ORDER BY position"))
                .containsExactly(
                        DerivedId.of(first, room, "42", MessageType.TEXT, "other", 0)
                                .toString(),
                        DerivedId.of(together, room, "42", MessageType.TEXT, "two", 0)
                                .toString());
    }

    @Test
    void stopStoresEverythingRead() throws Exception {
        Writer writer = writer();
        Consumer consumer = consumer();
        await().atMost(SOON).until(() -> consumer.partition().state() == PartitionStatus.State.READING);
        for (int i = 0; i < 3000; i++) writer.say("7", "hello " + i);
        Map<UUID, Long> accepted = writer.accepted();
        consumer.close();
        assertThat(Database.number("SELECT count(*) FROM messages")).isEqualTo(accepted.size());
        assertStored(accepted);
        assertThat(Database.column("SELECT drained FROM log_position")).containsExactly("t");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void restartContinues(boolean logLasts) throws Exception {
        lasting = logLasts;
        Writer writer = writer();
        Consumer first = consumer();
        for (int i = 0; i < 1500; i++) writer.say("7", "before " + i);
        awaitRows(1500);
        first.close();
        for (int i = 0; i < 1500; i++) writer.say("7", "while away " + i);
        Consumer second = consumer();
        writer.say("7", "after");
        assertStored(writer.accepted());
        await().atMost(SOON).until(() -> second.count("persistence.stored") == 1501);
        assertThat(second.count("persistence.duplicates")).isZero();
        assertThat(Database.column("SELECT reason FROM log_gap")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anotherLogAfterACrashIsAGap(boolean logLasts) throws Exception {
        lasting = logLasts;
        Writer writer = writer();
        Consumer first = consumer();
        writer.say("7", "stored");
        Map<UUID, Long> accepted = writer.accepted();
        assertStored(accepted);
        first.kill();
        anotherLog();
        Writer next = writer();
        Consumer second = consumer();
        next.say("7", "in the new log");
        accepted.putAll(next.accepted());
        assertStored(accepted);
        assertThat(Database.column("SELECT reason FROM log_gap")).containsExactly("REPLACED");
        assertThat(Database.number("SELECT count(*) FROM log_gap, messages WHERE content = 'in the new log'"
                        + " AND to_position < position AND from_position > "
                        + accepted.values().iterator().next()))
                .isEqualTo(1);
        await().atMost(SOON).until(() -> second.count("persistence.gaps") == 1);
    }

    /** A power failure of the broker: the lost entries were stored, and the new writer has never read them. */
    @Test
    void lostEndReusesNoStoredPosition() throws Exception {
        lasting = true;
        RecordedLog recorded = new RecordedLog(log);
        Writer writer = writer(recorded);
        Consumer first = consumer();
        writer.say("7", "kept");
        assertStored(writer.accepted());
        List<byte[]> kept = recorded.entries();
        for (int i = 0; i < 500; i++) {
            writer.say("7", "lost with the log's end " + i);
            writer.accepted(); // an entry of its own
        }
        Map<UUID, Long> accepted = writer.accepted();
        assertStored(accepted);
        first.close();
        anotherLog();
        kept.forEach(entry -> log.append(0, entry));
        Writer next = writer();

        consumer();

        try (StoredNotifications notifications = new StoredNotifications(log, 0)) {
            long stored = Collections.max(accepted.values());
            await().atMost(SOON).until(() -> notifications.position() >= stored);
            await().atMost(SOON)
                    .until(() -> Database.column("SELECT reason FROM log_gap"), reasons -> !reasons.isEmpty());
            await().atMost(SOON).until(next::available);
            next.say("7", "above all that was stored");
            Map<UUID, Long> after = next.accepted();
            assertThat(after.values())
                    .singleElement()
                    .satisfies(position -> assertThat(position).isGreaterThan(stored));
            accepted.putAll(after);
            assertStored(accepted);
        }
        assertThat(Database.column("SELECT reason FROM log_gap")).containsExactly("REPLACED");
    }

    /** Twice: the second time, the log is read again from an epoch that is older than the one before. */
    @Test
    void messagesAfterEachLostEndAreStored() throws Exception {
        lasting = true;
        RecordedLog recorded = new RecordedLog(log);
        Writer writer = writer(recorded);
        Consumer consumer = consumer();
        Map<UUID, Long> accepted = new HashMap<>();
        for (int loss = 1; loss <= 2; loss++) {
            writer.say("7", "kept " + loss);
            accepted.putAll(writer.accepted());
            assertStored(accepted);
            List<byte[]> kept = recorded.entries();
            for (int i = 0; i < 20; i++) {
                writer.say("7", "lost with the log's end " + i);
                accepted.putAll(writer.accepted()); // an entry of its own
            }
            assertStored(accepted);
            long stored = Collections.max(accepted.values());
            consumer.kill();
            anotherLog();
            kept.forEach(entry -> log.append(0, entry));
            recorded = new RecordedLog(log, kept);
            writer = writer(recorded);
            for (int i = 0; i < 50; i++) { // beyond the stored position
                writer.say("7", "while the consumer is away " + loss + " " + i);
                Map<UUID, Long> said = writer.accepted();
                assertThat(said.values()).allMatch(position -> position > stored);
                accepted.putAll(said);
            }
            long first = Collections.min(writer.accepted().values());

            consumer = consumer();

            try (StoredNotifications notifications = new StoredNotifications(log, 0)) {
                assertStored(accepted);
                List<String> ranges = Collections.nCopies(loss, "REPLACED");
                await().atMost(SOON)
                        .untilAsserted(() -> assertThat(Database.column("SELECT reason FROM log_gap"))
                                .isEqualTo(ranges));
                assertThat(Database.number("SELECT max(from_position) FROM log_gap"))
                        .isGreaterThanOrEqualTo(stored)
                        .isLessThan(first);
                long to = Database.number("SELECT max(to_position) FROM log_gap");
                assertThat(to).isGreaterThan(stored).isLessThan(first);
                await().atMost(SOON).until(() -> notifications.all().stream().anyMatch(each -> each.position() == to));
            }
            writer.say("7", "after " + loss);
            accepted.putAll(writer.accepted());
            assertStored(accepted);
        }
    }

    /** Keeps the appended entries in order. */
    private static final class RecordedLog extends ForwardingRoomLog {
        private final List<byte[]> entries = new ArrayList<>();

        RecordedLog(RoomLog log) {
            this(log, List.of());
        }

        /** @param before the entries that it holds already */
        RecordedLog(RoomLog log, List<byte[]> before) {
            super(log);
            entries.addAll(before);
        }

        @Override
        public boolean outlivesItsProcess() {
            return true;
        }

        @Override
        public synchronized CompletionStage<Void> append(int partition, byte[] entry) {
            entries.add(entry);
            return super.append(partition, entry);
        }

        synchronized List<byte[]> entries() {
            return List.copyOf(entries);
        }
    }

    @Test
    void anotherLogAfterAnOrderlyEndIsNoGap() throws Exception {
        Writer writer = writer();
        Consumer first = consumer();
        writer.say("7", "stored");
        Map<UUID, Long> accepted = writer.accepted();
        first.close();
        anotherLog();
        Writer next = writer();
        consumer();
        next.say("7", "in the new log");
        accepted.putAll(next.accepted());
        assertStored(accepted);
        assertThat(Database.column("SELECT reason FROM log_gap")).isEmpty();
    }

    @Test
    void ofTwoConsumersEachBatchIsStoredByOne() throws Exception {
        Writer writer = writer();
        Consumer one = consumer();
        Consumer other = consumer();
        for (int round = 0; round < 30; round++) {
            for (int i = 0; i < 100; i++) writer.say("7", round + " " + i);
            long rows = (round + 1) * 100L;
            awaitRows(rows);
        }
        assertStored(writer.accepted());
        await().atMost(SOON).until(() -> one.count("persistence.stored") + other.count("persistence.stored") == 3000);
        assertThat(one.count("persistence.fenced") + other.count("persistence.fenced"))
                .isPositive();
        assertThat(Database.column("SELECT reason FROM log_gap")).isEmpty();
    }

    @Test
    void otherConsumerTakesOver() throws Exception {
        Writer writer = writer();
        Consumer one = consumer();
        writer.say("7", "first");
        awaitRows(1);
        Consumer other = consumer();
        one.kill();
        writer.say("7", "second");
        assertStored(writer.accepted());
        await().atMost(SOON).until(() -> other.count("persistence.stored") == 1);
    }

    @Test
    void rejectedRowAloneBecomesADeadLetter() throws Exception {
        Writer writer = writer();
        for (int i = 0; i < 500; i++) writer.say("7", "before " + i);
        UUID poison = writer.sayJson("7", """
                {"messageType":"TEXT","messageId":"00000000-0000-0000-0000-000000000001","userId":"42",\
                "username":"alice42","message":"a\\u0000b","timestamp":1}""");
        for (int i = 0; i < 499; i++) writer.say("7", "after " + i);
        Map<UUID, Long> accepted = writer.accepted();
        Consumer consumer = consumer();
        Long position = accepted.remove(poison);
        assertStored(accepted);
        await().atMost(SOON).until(() -> consumer.count("persistence.dead.letters") == 1);
        assertThat(Database.column("SELECT message_id || ' ' || room_id || ' ' || position FROM dead_letter"))
                .containsExactly(poison + " 7 " + position);
        assertThat(Database.column("SELECT reason FROM dead_letter"))
                .singleElement()
                .asString()
                .contains("0x00");
        assertThat(Database.column("SELECT convert_from(bytes, 'UTF8') FROM dead_letter"))
                .singleElement()
                .asString()
                .contains("\\u0000");
        assertThat(consumer.count("persistence.retries")).isZero();
    }

    @Test
    void poisonBecomesDeadLettersWithin2sWithoutARetryAndTheConsumerContinues() throws Exception {
        Writer writer = writer();
        Consumer consumer = consumer();
        await().atMost(SOON).until(() -> consumer.partition().state() == PartitionStatus.State.READING);
        long said = System.currentTimeMillis();
        writer.say("7", "before");
        UUID notJson = writer.sayJson("7", "{\"messageType\":");
        UUID tooLong = writer.say("7", "😀".repeat(4_001));
        UUID tooLate = writer.say("7", UUID.randomUUID(), "year 999999", 31_556_889_864_403_199L);
        writer.say("7", "after");
        awaitRows(2);
        await().atMost(SOON).until(() -> consumer.count("persistence.dead.letters") == 3);
        assertThat(Database.column("SELECT message_id || ' ' || (reason <> '') FROM dead_letter ORDER BY position"))
                .containsExactly(notJson + " true", tooLong + " true", tooLate + " true");
        assertThat(Database.number("SELECT (extract(epoch FROM max(created_at)) * 1000)::bigint FROM dead_letter"))
                .as("when the last dead letter was written, by the database's clock")
                .isLessThan(said + 2_000);
        assertThat(consumer.count("persistence.retries")).isZero();
        writer.say("7", "later");
        awaitRows(3);
        assertThat(consumer.count("persistence.dead.letters")).isEqualTo(3);
    }

    @Test
    void tooLongTextBecomesADeadLetter() throws Exception {
        Writer writer = writer();
        Consumer consumer = consumer();
        writer.say("7", "😀".repeat(4_001));
        UUID longest = writer.say("7", "😀".repeat(4_000));
        await().atMost(SOON).until(() -> consumer.count("persistence.dead.letters") == 1);
        awaitRows(1);
        assertThat(Database.column("SELECT message_id FROM messages")).containsExactly(longest.toString());
    }

    @Test
    void invalidJsonBecomesADeadLetter() throws Exception {
        Writer writer = writer();
        Consumer consumer = consumer();
        UUID broken = writer.sayJson("7", "{\"messageType\":");
        writer.say("7", "good");
        Map<UUID, Long> accepted = writer.accepted();
        accepted.remove(broken);
        assertStored(accepted);
        await().atMost(SOON).until(() -> consumer.count("persistence.dead.letters") == 1);
        assertThat(Database.column("SELECT message_id FROM dead_letter")).containsExactly(broken.toString());
    }

    @Test
    void unreadableEntryBecomesOneDeadLetter() throws Exception {
        Writer writer = writer();
        Consumer first = consumer();
        writer.say("7", "before");
        awaitRows(1);
        log.append(0, new byte[] {99, 1, 2, 3}).toCompletableFuture().join();
        await().atMost(SOON).until(() -> first.count("persistence.dead.letters") == 1);
        first.kill();
        consumer();
        writer.say("7", "after");
        assertStored(writer.accepted());
        assertThat(Database.column("SELECT encode(bytes, 'hex') FROM dead_letter"))
                .containsExactly("63010203");
    }

    @Test
    void terminatedConnectionsLoseNothing() throws Exception {
        Writer writer = writer();
        Consumer consumer = consumer();
        int said = 0;
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < 400; i++) writer.say("7", "hello " + said++);
            Database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    + " WHERE application_name = 'confab-consumer-writing'");
        }
        assertStored(writer.accepted());
        assertThat(consumer.count("persistence.dead.letters")).isZero();
    }

    @Test
    void restartedDatabaseLosesNothing() throws Exception {
        Writer writer = writer();
        Consumer consumer = consumer();
        for (int i = 0; i < 1000; i++) writer.say("7", "before " + i);
        awaitRows(1);
        Database.node().stop();
        for (int i = 0; i < 5000; i++) writer.say("7", "while it is away " + i);
        await().atMost(SOON).until(() -> !consumer.ingest.health().isUp());
        await().atMost(SOON)
                .until(() -> consumer.meters
                                .get("persistence.breaker")
                                .tag("state", "OPEN")
                                .gauge()
                                .value()
                        == 1);
        assertThat(consumer.partition().lagSeconds()).isPositive();
        Database.node().start();
        assertStored(writer.accepted());
        await().atMost(SOON).until(() -> consumer.ingest.health().isUp());
        assertThat(consumer.count("persistence.retries")).isPositive();
        assertThat(consumer.meters
                        .get("persistence.breaker.opened")
                        .functionCounter()
                        .count())
                .isPositive();
        assertThat(consumer.meters
                        .get("persistence.breaker")
                        .tag("state", "CLOSED")
                        .gauge()
                        .value())
                .isEqualTo(1);
    }

    @Test
    void killedDatabaseLosesNothing() throws Exception {
        Writer writer = writer();
        consumer();
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 2000; i++) writer.say("7", round + " " + i);
            Database.node().kill();
            Database.node().start();
        }
        assertStored(writer.accepted());
    }

    @Test
    void bugDuringPreparationIsRetried() throws Exception {
        Writer writer = writer();
        writer.say("7", "hello");
        open.add(new Consumer(log, Consumer.SETTINGS, 2));
        assertStored(writer.accepted());
    }

    @Test
    void missingDatabaseIsAwaited() throws Exception {
        Writer writer = writer();
        Database.node().stop();
        Consumer consumer = consumer();
        await().atMost(SOON).until(() -> consumer.ingest.health().database() == IngestHealth.Database.DOWN);
        assertThat(consumer.ingest.health().prepared()).isFalse();
        writer.say("7", "early");
        Database.node().start();
        assertStored(writer.accepted());
        assertThat(consumer.ingest.health().isUp()).isTrue();
    }

    @Test
    void positionMovesWithoutMessages() throws Exception {
        Writer unused = writer();
        Consumer consumer = consumer();
        await().atMost(SOON).ignoreExceptions().until(() -> Database.number("SELECT count(*) FROM log_position") == 1);
        await().atMost(SOON).until(() -> consumer.flushes("position") > 0);
        assertThat(consumer.meters.get("persistence.batch.size").summary().count())
                .isZero();
        assertThat(consumer.partition().position())
                .isEqualTo(Database.column("SELECT position FROM log_position").getFirst());
    }

    @Test
    void stopEndsAtItsLimitWhileTheDatabaseIsUnavailable() throws Exception {
        Writer writer = writer();
        Consumer consumer = consumer(new IngestSettings(
                Consumer.SETTINGS.batch(),
                Consumer.SETTINGS.retry(),
                Consumer.SETTINGS.fenced(),
                Consumer.SETTINGS.notificationInterval(),
                Consumer.SETTINGS.drainQuiet(),
                Duration.ofMillis(500)));
        writer.say("7", "stored");
        awaitRows(1);
        Database.node().stop();
        writer.say("7", "not stored");
        await().atMost(SOON).until(() -> !consumer.ingest.health().isUp());
        long began = System.nanoTime();
        consumer.close();
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(5));
        assertThat(consumer.partition().state()).isEqualTo(PartitionStatus.State.STOPPED);
    }
}
