package chat.persistence.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.log.ForwardingRoomLog;
import chat.log.InMemoryRoomLog;
import chat.log.LogUnavailable;
import chat.log.LogUnavailable.Outcome;
import chat.log.NotStored;
import chat.log.RoomLog;
import chat.persistence.Database;
import chat.persistence.StoredNotifications;
import chat.persistence.StoredNotifications.StoredNotification;
import chat.persistence.Writer;
import chat.protocol.RoomId;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Notifications of stored positions in the log. */
class StoredNotificationsIT {
    private static final Duration SOON = Duration.ofMinutes(2);

    private final InMemoryRoomLog log = new InMemoryRoomLog(1, 64 << 20, Clock.systemUTC());
    private final List<AutoCloseable> open = new ArrayList<>();
    private StoredNotifications notifications = new StoredNotifications(log, 0);
    private Writer writer = new Writer(log, 0);

    @BeforeEach
    void begin() throws Exception {
        Database.empty();
        writer.awaitStarted();
        open.add(writer);
        open.add(notifications);
    }

    @AfterEach
    void end() throws Exception {
        for (AutoCloseable each : open.reversed()) each.close();
        log.close();
    }

    private Consumer consumer(RoomLog of) {
        Consumer consumer = new Consumer(of, Consumer.SETTINGS);
        open.add(consumer);
        return consumer;
    }

    private static long last(Map<UUID, Long> accepted) {
        return Collections.max(accepted.values());
    }

    private void awaitNotified(long position) {
        await().atMost(SOON).until(() -> notifications.position() >= position);
    }

    @Test
    void publishedPositionIsStored() throws Exception {
        Consumer consumer = consumer(log);
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < 50; i++) writer.say("room-" + i % 7, round + " " + i);
            long rows = (round + 1) * 50L;
            await().atMost(SOON).until(() -> consumer.count("persistence.stored") == rows);
        }
        Map<UUID, Long> accepted = writer.accepted();
        awaitNotified(last(accepted));
        List<StoredNotification> all = notifications.all();
        for (StoredNotification notification : all) {
            long covered = accepted.values().stream()
                    .filter(position -> position <= notification.position())
                    .count();
            assertThat(notification.rows()).isEqualTo(covered);
        }
        assertThat(all).extracting(StoredNotification::position).isSorted().doesNotHaveDuplicates();
        assertThat(all)
                .extracting(StoredNotification::run)
                .containsOnly(all.getFirst().run());
        assertThat(notifications.stale()).isEmpty();
        long nanos = all.getLast().readNanos() - all.getFirst().readNanos();
        assertThat(all)
                .hasSizeLessThanOrEqualTo(
                        (int) (nanos / Consumer.SETTINGS.notificationInterval().toNanos()) + 2);
    }

    @Test
    void consumerDoesNotAnswerItsOwnNotifications() throws Exception {
        Consumer consumer = consumer(log);
        writer.say("7", "one");
        awaitNotified(last(writer.accepted()));
        int said = notifications.all().size();
        // The consumer's own entry moves the position once; it publishes no notification of that.
        await().atMost(SOON).until(() -> consumer.flushes("position") > 0);
        double moved = consumer.flushes("position");
        long stored = Database.number("SELECT position FROM log_position");
        await().during(Duration.ofSeconds(1))
                .atMost(SOON)
                .until(() -> notifications.all().size() == said);
        // Heartbeats of the writer may have moved it since.
        assertThat(consumer.flushes("position")).isLessThanOrEqualTo(moved + 1);
        assertThat(notifications.position()).isLessThan(stored);
        assertThat(Database.number("SELECT count(*) FROM messages")).isEqualTo(1);
    }

    /** Without entries, nothing shows that an idle partition can be read. */
    @Test
    void idlePartitionRepeatsTheNotification() throws Exception {
        consumer(log);
        writer.say("7", "one");
        awaitNotified(last(writer.accepted()));
        List<StoredNotification> said = notifications.all();
        writer.close(); // which ends its heartbeats
        await().atMost(SOON).until(() -> notifications.all().size() > said.size());
        assertThat(notifications.all().getLast().position())
                .isEqualTo(said.getLast().position());
    }

    private List<UUID> named() {
        return notifications.all().stream()
                .flatMap(each -> each.notStored().stream())
                .map(NotStored::messageId)
                .toList();
    }

    @Test
    void deadLettersAreNamed() throws Exception {
        consumer(log);
        UUID broken = writer.sayJson("7", "{\"messageType\":");
        UUID tooLong = writer.say("7", "x".repeat(4_001));
        writer.say("7", "kept");
        Map<UUID, Long> accepted = writer.accepted();
        awaitNotified(last(accepted));
        assertThat(Database.number("SELECT count(*) FROM dead_letter")).isEqualTo(2);
        assertThat(named()).containsOnly(broken, tooLong);
        StoredNotification first = notifications.all().stream()
                .filter(each -> !each.notStored().isEmpty())
                .findFirst()
                .orElseThrow();
        assertThat(first.notStored().getFirst())
                .isEqualTo(new NotStored(accepted.getOrDefault(broken, -1L), broken, new RoomId("7"), "42"));
    }

    @Test
    void nextConsumerNamesDeadLettersThatTheStoppedOneDidNotName() throws Exception {
        Consumer first = consumer(new ReadOnlyLog(new LastingLog(log)));
        UUID broken = writer.sayJson("7", "{\"messageType\":");
        await().atMost(SOON).until(() -> first.count("persistence.dead.letters") == 1);
        first.close();
        assertThat(notifications.all()).isEmpty();
        consumer(new LastingLog(log));
        awaitNotified(last(writer.accepted()));
        assertThat(named()).containsOnly(broken);
    }

    @Test
    void startingConsumerPublishesItsPositionOnce() throws Exception {
        Consumer first = consumer(new ReadOnlyLog(new LastingLog(log)));
        writer.say("7", "one");
        await().atMost(SOON).until(() -> first.count("persistence.stored") == 1);
        first.close();
        assertThat(notifications.all()).isEmpty();
        Consumer second = consumer(new LastingLog(log));
        awaitNotified(last(writer.accepted()));
        await().atMost(SOON).until(() -> second.flushes("position") > 1);
        assertThat(notifications.all()).hasSize(1);
    }

    @Test
    void consumerStoresWithoutNotificationsWhileTheLogRejectsWrites() throws Exception {
        ReadOnlyLog readOnly = new ReadOnlyLog(log);
        Consumer consumer = consumer(readOnly);
        for (int i = 0; i < 100; i++) writer.say("7", "hello " + i);
        await().atMost(SOON).until(() -> consumer.count("persistence.stored") == 100);
        await().atMost(SOON).until(() -> failed(consumer) > 0);
        assertThat(consumer.ingest.health().isUp()).isTrue();
        assertThat(notifications.all()).isEmpty();
        readOnly.writable = true;
        awaitNotified(last(writer.accepted()));
        assertThat(notifications.all()).hasSize(1);
    }

    private static double failed(Consumer consumer) {
        return consumer.meters
                .counter("persistence.announcements", "outcome", "failed")
                .count();
    }

    /** A log that rejects appends. */
    private static final class ReadOnlyLog extends ForwardingRoomLog {
        volatile boolean writable;

        ReadOnlyLog(RoomLog log) {
            super(log);
        }

        @Override
        public CompletionStage<Void> append(int partition, byte[] entry) {
            return writable
                    ? super.append(partition, entry)
                    : CompletableFuture.failedFuture(new LogUnavailable(Outcome.NOT_WRITTEN, "not allowed"));
        }

        @Override
        public void close() {}
    }
}
