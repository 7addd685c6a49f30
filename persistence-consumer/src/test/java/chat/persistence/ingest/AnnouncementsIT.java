package chat.persistence.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.log.ForwardingRoomLog;
import chat.log.InMemoryRoomLog;
import chat.log.LogUnavailable;
import chat.log.LogUnavailable.Outcome;
import chat.log.NotStored;
import chat.log.RoomLog;
import chat.persistence.Announcements;
import chat.persistence.Announcements.Announcement;
import chat.persistence.Database;
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

/** Announcements of stored positions in the log. */
class AnnouncementsIT {
    private static final Duration SOON = Duration.ofMinutes(2);

    private final InMemoryRoomLog log = new InMemoryRoomLog(1, 64 << 20, Clock.systemUTC());
    private final List<AutoCloseable> open = new ArrayList<>();
    private Announcements announcements = new Announcements(log, 0);
    private Writer writer = new Writer(log, 0);

    @BeforeEach
    void begin() throws Exception {
        Database.empty();
        writer.awaitStarted();
        open.add(writer);
        open.add(announcements);
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

    private void awaitAnnounced(long position) {
        await().atMost(SOON).until(() -> announcements.position() >= position);
    }

    @Test
    void announcedPositionIsStored() throws Exception {
        Consumer consumer = consumer(log);
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < 50; i++) writer.say("room-" + i % 7, round + " " + i);
            long rows = (round + 1) * 50L;
            await().atMost(SOON).until(() -> consumer.count("persistence.stored") == rows);
        }
        Map<UUID, Long> accepted = writer.accepted();
        awaitAnnounced(last(accepted));
        List<Announcement> all = announcements.all();
        for (Announcement announcement : all) {
            long covered = accepted.values().stream()
                    .filter(position -> position <= announcement.position())
                    .count();
            assertThat(announcement.rows()).isEqualTo(covered);
        }
        assertThat(all).extracting(Announcement::position).isSorted().doesNotHaveDuplicates();
        assertThat(all)
                .extracting(Announcement::run)
                .containsOnly(all.getFirst().run());
        assertThat(announcements.stale()).isEmpty();
        long nanos = all.getLast().readNanos() - all.getFirst().readNanos();
        assertThat(all)
                .hasSizeLessThanOrEqualTo(
                        (int) (nanos / Consumer.SETTINGS.announce().toNanos()) + 2);
    }

    @Test
    void itDoesNotAnswerItself() throws Exception {
        Consumer consumer = consumer(log);
        writer.say("7", "one");
        awaitAnnounced(last(writer.accepted()));
        int said = announcements.all().size();
        // Its own entry moves the position once, and that is not announced.
        await().atMost(SOON).until(() -> consumer.flushes("position") > 0);
        double moved = consumer.flushes("position");
        long stored = Database.number("SELECT position FROM log_position");
        await().during(Duration.ofSeconds(1))
                .atMost(SOON)
                .until(() -> announcements.all().size() == said);
        // Signs of life of the writer may have moved it since.
        assertThat(consumer.flushes("position")).isLessThanOrEqualTo(moved + 1);
        assertThat(announcements.position()).isLessThan(stored);
        assertThat(Database.number("SELECT count(*) FROM messages")).isEqualTo(1);
    }

    /** An idle partition does not show whether it can be read. */
    @Test
    void idlePartitionRepeatsTheAnnouncement() throws Exception {
        consumer(log);
        writer.say("7", "one");
        awaitAnnounced(last(writer.accepted()));
        List<Announcement> said = announcements.all();
        writer.close(); // and with it its signs of life
        await().atMost(SOON).until(() -> announcements.all().size() > said.size());
        assertThat(announcements.all().getLast().position())
                .isEqualTo(said.getLast().position());
    }

    private List<UUID> named() {
        return announcements.all().stream()
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
        awaitAnnounced(last(accepted));
        assertThat(Database.number("SELECT count(*) FROM dead_letter")).isEqualTo(2);
        assertThat(named()).containsOnly(broken, tooLong);
        Announcement first = announcements.all().stream()
                .filter(each -> !each.notStored().isEmpty())
                .findFirst()
                .orElseThrow();
        assertThat(first.notStored().getFirst())
                .isEqualTo(new NotStored(accepted.getOrDefault(broken, -1L), broken, new RoomId("7"), "42"));
    }

    @Test
    void deadLettersOfAConsumerThatEndedBeforeItCouldNameThemAreNamedByTheNext() throws Exception {
        Consumer first = consumer(new ReadOnlyLog(new LastingLog(log)));
        UUID broken = writer.sayJson("7", "{\"messageType\":");
        await().atMost(SOON).until(() -> first.count("persistence.dead.letters") == 1);
        first.close();
        assertThat(announcements.all()).isEmpty();
        consumer(new LastingLog(log));
        awaitAnnounced(last(writer.accepted()));
        assertThat(named()).containsOnly(broken);
    }

    @Test
    void startingConsumerAnnouncesItsPositionOnce() throws Exception {
        Consumer first = consumer(new ReadOnlyLog(new LastingLog(log)));
        writer.say("7", "one");
        await().atMost(SOON).until(() -> first.count("persistence.stored") == 1);
        first.close();
        assertThat(announcements.all()).isEmpty();
        Consumer second = consumer(new LastingLog(log));
        awaitAnnounced(last(writer.accepted()));
        await().atMost(SOON).until(() -> second.flushes("position") > 1);
        assertThat(announcements.all()).hasSize(1);
    }

    @Test
    void consumerStoresWithoutAnnouncingWhileTheLogRejectsWrites() throws Exception {
        ReadOnlyLog readOnly = new ReadOnlyLog(log);
        Consumer consumer = consumer(readOnly);
        for (int i = 0; i < 100; i++) writer.say("7", "hello " + i);
        await().atMost(SOON).until(() -> consumer.count("persistence.stored") == 100);
        await().atMost(SOON).until(() -> failed(consumer) > 0);
        assertThat(consumer.ingest.health().isUp()).isTrue();
        assertThat(announcements.all()).isEmpty();
        readOnly.writable = true;
        awaitAnnounced(last(writer.accepted()));
        assertThat(announcements.all()).hasSize(1);
    }

    private static double failed(Consumer consumer) {
        return consumer.meters
                .counter("persistence.announcements", "outcome", "failed")
                .count();
    }

    /** A log that this program may not write to. */
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
