package chat.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.log.LogUnavailable;
import chat.log.RoomLog;
import chat.log.breaker.LogBreaker;
import chat.log.rabbit.RabbitLogSettings;
import chat.log.rabbit.RabbitRoomLog;
import chat.nodes.RabbitNode;
import chat.nodes.RabbitSettings;
import chat.protocol.RoomId;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A chat server as in production while its broker is killed, blocks, stands still, and drops its connections. */
class LogFaultsRabbitIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final JsonMapper JSON = JsonMapper.builder().build();

    @TempDir
    static Path directory;

    private static RabbitNode node;
    private static TestServer server;
    private static HttpClient http;

    @BeforeAll
    static void start() {
        node = new RabbitNode(RabbitSettings.in(directory)).start();
        // However long the broker takes to start again, nothing is given up meanwhile.
        server = TestServer.startOnRabbit(
                node.uri(), "chat.server.id=faulty", "chat.server.log.silence=30s", "chat.server.log.overdue=110s");
        http = HttpClient.newHttpClient();
        until(() -> log().equals("UP"));
    }

    @AfterAll
    static void stop() {
        http.close();
        server.close();
        node.close();
    }

    private interface Condition {
        boolean isMet() throws Exception;
    }

    private static void until(Condition condition) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(10)).until(condition::isMet);
    }

    private static HttpResponse<String> get(URI uri) throws IOException, InterruptedException {
        return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }

    private static JsonNode health() throws IOException, InterruptedException {
        HttpResponse<String> answer = get(server.page("/health"));
        assertThat(answer.statusCode()).as("whatever becomes of the log").isEqualTo(200);
        return JSON.readTree(answer.body());
    }

    private static String log() throws IOException, InterruptedException {
        return health().get("log").asString();
    }

    private static String breaker() throws IOException, InterruptedException {
        return health().get("breaker").asString();
    }

    private static String metrics() throws IOException, InterruptedException {
        return get(URI.create("http://127.0.0.1:" + server.managementPort() + "/actuator/prometheus"))
                .body();
    }

    /** Says things, each again until it is accepted, and keeps how long each refusal took. */
    private static final class Speaker {
        final Guest guest;
        final List<UUID> accepted = new ArrayList<>();
        final List<Long> refusalMillis = new ArrayList<>();
        final List<Integer> retryAfterMillis = new ArrayList<>();

        Speaker(Guest guest) {
            this.guest = guest;
        }

        void speakUntil(AtomicBoolean end) {
            do {
                UUID id = UUID.randomUUID();
                sayUntilAccepted(id);
                accepted.add(id);
            } while (!end.get());
        }

        private void sayUntilAccepted(UUID id) {
            while (true) {
                long begun = System.nanoTime();
                guest.text("text", id);
                int refusals = refusalMillis.size();
                // What was published when the broker went has to wait for it.
                until(() -> guest.isAcknowledged(id) || guest.frames("ERROR").size() > refusals);
                if (guest.isAcknowledged(id)) return;
                assertThat(guest.frames("ERROR").getLast().get("code").asString())
                        .isEqualTo("UNAVAILABLE");
                refusalMillis.add((System.nanoTime() - begun) / 1_000_000);
                retryAfterMillis.add(
                        guest.frames("ERROR").getLast().get("retryAfterMs").asInt());
                long pause = System.nanoTime() + 10_000_000;
                await().pollInterval(Duration.ofMillis(2)).until(() -> System.nanoTime() > pause);
            }
        }
    }

    @Test
    void aBrokerThatIsKilledIsServedAgainSoonAndNothingAcceptedIsLost() throws Exception {
        Speaker speaker = new Speaker(Guest.connect(server, "killed", 1).joined());
        Guest listener = Guest.connect(server, "killed", 2).joined();
        Speaker other = new Speaker(Guest.connect(server, "killed", 3).joined());
        long before = listener.position();
        AtomicBoolean end = new AtomicBoolean();
        long openedBefore = server.bean(LogBreaker.class).opened();
        int channels = channels();
        Duration recovery;
        try (ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> speaking = thread.submit(() -> speaker.speakUntil(end));
            listener.await("some texts", () -> listener.texts().size() >= 20);

            node.kill();

            until(() -> breaker().equals("OPEN"));
            assertThat(log()).isEqualTo("DOWN");
            assertThat(metrics())
                    .contains("chat_log_breaker{state=\"OPEN\"} 1.0")
                    .contains("chat_log_state{state=\"DOWN\"} 1.0");
            int heard = listener.texts().size();
            Future<?> asking = thread.submit(() -> other.speakUntil(end));
            until(() -> other.refusalMillis.size() >= 20);
            node.start();
            long up = System.nanoTime();
            until(() -> listener.texts().size() > heard);
            recovery = Duration.ofNanos(System.nanoTime() - up);
            until(() -> breaker().equals("CLOSED") && log().equals("UP"));
            end.set(true);
            speaking.get();
            asking.get();
        }

        assertThat(recovery).isLessThan(Duration.ofSeconds(15));
        assertThat(server.bean(LogBreaker.class).opened()).isGreaterThan(openedBefore);
        List<Long> refusals = other.refusalMillis.stream().sorted().toList();
        assertThat(refusals.get(refusals.size() / 2))
                .as("median of the refusals, ms")
                .isLessThan(50);
        assertThat(other.retryAfterMillis).allMatch(millis -> millis > 0 && millis <= 2_001);
        assertThat(other.retryAfterMillis).as("what was left of the wait").anyMatch(millis -> millis != 1_000);
        assertHeardOnceInOrder(listener, speaker, other);
        // Heard it may have been before the kill: the log must have it still.
        try (TestServer fresh = TestServer.startOnRabbit(node.uri(), "chat.server.id=fresh");
                Guest late = Guest.connect(fresh, "killed", 4).resume(before)) {
            assertHeardOnceInOrder(late, speaker, other);
            assertThat(late.frames("GAP")).isEmpty();
        }
        until(() -> channels() == channels);
        for (Guest guest : List.of(speaker.guest, other.guest, listener)) guest.close();
    }

    private static void assertHeardOnceInOrder(Guest listener, Speaker... speakers) {
        int all =
                Stream.of(speakers).mapToInt(speaker -> speaker.accepted.size()).sum();
        listener.await("all texts", () -> listener.texts().size() >= all);
        assertThat(listener.texts()).hasSize(all);
        for (Speaker speaker : speakers)
            assertThat(listener.heard().stream()
                            .filter(heard ->
                                    heard.text() != null && heard.userId().equals(speaker.guest.userId()))
                            .map(Guest.Heard::id))
                    .containsExactlyElementsOf(
                            speaker.accepted.stream().map(UUID::toString).toList());
    }

    private static int channels() {
        return (int) node.ctl("-q", "list_channels", "pid")
                .lines()
                .filter(line -> line.startsWith("<"))
                .count();
    }

    @Test
    void aBrokerThatBlocksRefusesMessagesAtOnceAndIsReadOn() throws Exception {
        Guest guest = Guest.connect(server, "blocked", 4).joined();
        assertThat(guest.says("before", UUID.randomUUID(), 0)).isTrue();
        long openedBefore = server.bean(LogBreaker.class).opened();
        node.ctl("set_vm_memory_high_watermark", "0");
        try {
            // The broker says so to those who publish: the first one may get stuck, and is kept.
            UUID first = guest.text("first");
            until(() -> log().equals("BLOCKED"));
            assertThat(metrics()).contains("chat_log_state{state=\"BLOCKED\"} 1.0");

            long begun = System.nanoTime();
            assertThat(guest.says("refused", UUID.randomUUID(), 0)).isFalse();
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(1));
            assertThat(entriesRead(new RoomId("blocked").partition(4))).isPositive();

            node.ctl("set_vm_memory_high_watermark", "absolute", "1GB");
            long unblocked = System.nanoTime();
            guest.awaitAck(first);
            until(() -> log().equals("UP"));
            assertThat(guest.says("after", UUID.randomUUID(), 1)).isTrue();
            assertThat(Duration.ofNanos(System.nanoTime() - unblocked)).isLessThan(Duration.ofSeconds(5));
            assertThat(guest.texts()).containsExactly("before", "first", "after");
        } finally {
            node.ctl("set_vm_memory_high_watermark", "absolute", "1GB");
        }
        assertThat(server.bean(LogBreaker.class).opened())
                .as("a block is no fault")
                .isEqualTo(openedBefore);
        guest.close();
    }

    /** By a reader that subscribes now. */
    private static int entriesRead(int partition) {
        AtomicInteger entries = new AtomicInteger();
        RabbitLogSettings settings =
                new RabbitLogSettings(URI.create(node.uri()), 4, "chat", 16, Duration.ofSeconds(5));
        try (RabbitRoomLog reads = new RabbitRoomLog(settings, "witness", RabbitRoomLog.Access.READ)) {
            until(() -> reads.state() == RoomLog.State.UP);
            try (RoomLog.Tail tail = reads.tail(partition, new RoomLog.Start.First(), new RoomLog.TailHandler() {
                @Override
                public void entry(long offset, byte[] bytes) {
                    entries.incrementAndGet();
                }

                @Override
                public void ended(LogUnavailable cause) {}
            })) {
                until(() -> entries.get() > 0);
                tail.handled(0);
            }
        }
        return entries.get();
    }

    @Test
    void aBrokerThatStandsStillStopsTheSendersAndLosesNothing() throws Exception {
        String text = "x".repeat(500);
        List<Guest> guests = new ArrayList<>();
        for (int i = 10; i < 12; i++)
            guests.add(Guest.connect(server, "still", i).joined());
        AtomicBoolean end = new AtomicBoolean();
        AtomicLong sent = new AtomicLong();
        List<Future<Set<String>>> speaking = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            node.pause();
            long paused = System.nanoTime();
            try {
                for (Guest guest : guests)
                    speaking.add(threads.submit(() -> {
                        Set<String> ids = new HashSet<>();
                        while (!end.get()) {
                            ids.add(guest.text(text).toString()); // stands still as long as its socket is full
                            sent.incrementAndGet();
                        }
                        return ids;
                    }));
                awaitStandstill(sent);
                long full = sent.get();
                long heap = heap();
                await().atMost(PATIENCE)
                        .until(() -> System.nanoTime() - paused
                                > Duration.ofSeconds(10).toNanos());
                assertThat(sent).as("texts sent while the broker stands still").hasValue(full);
                assertThat(heap() - heap).as("growth of the heap").isLessThan(8 << 20);
                assertThat(log()).isEqualTo("UP");
            } finally {
                end.set(true);
                node.resume();
            }
            Set<String> all = new HashSet<>();
            for (Future<Set<String>> one : speaking) all.addAll(one.get());
            for (Guest guest : guests) {
                await().atMost(PATIENCE).until(() -> guest.texts().size() >= all.size());
                assertThat(guest.heard().stream()
                                .filter(heard -> heard.text() != null)
                                .map(Guest.Heard::id))
                        .doesNotHaveDuplicates()
                        .containsExactlyInAnyOrderElementsOf(all);
                assertThat(guest.frames("ERROR")).isEmpty();
                assertThat(guest.isClosed()).isFalse();
            }
        }
        guests.forEach(Guest::close);
    }

    private static void awaitStandstill(AtomicLong count) {
        AtomicLong before = new AtomicLong(-1);
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .during(Duration.ofMillis(1500))
                .until(() -> before.getAndSet(count.get()) == count.get());
    }

    private static long heap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    @Test
    void whateverIsMissedOnTheWayTheLastStateIsTheTrueOne() throws Exception {
        Guest guest = Guest.connect(server, "flapping", 20).joined();
        assertThat(node.ctl("list_connections", "client_properties"))
                .contains("faulty publishes")
                .contains("faulty reads");
        for (int i = 0; i < 10; i++) node.ctl("close_all_connections", "flapping");

        until(() -> log().equals("UP") && breaker().equals("CLOSED"));

        until(() -> guest.says("again", UUID.randomUUID(), guest.frames("ERROR").size()));
        assertThat(log()).isEqualTo("UP");
        guest.close();
    }
}
