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
import chat.testing.Needs;
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
import java.util.concurrent.CopyOnWriteArrayList;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A chat server whose broker is killed, blocks, stalls and drops connections. */
@Needs("rabbitmq")
class LogFaultsRabbitIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final JsonMapper JSON = JsonMapper.builder().build();

    @TempDir
    static Path directory;

    /** In the broker's own language: takes no connections any more, and closes all there are. */
    private static final String GOES = "rabbit_maintenance:suspend_all_client_listeners(), "
            + "rabbit_networking:close_connections(rabbit_networking:local_connections(), <<\"flapping\">>)";

    private static RabbitNode node;
    private static TestServer server;
    private static HttpClient http;

    @BeforeAll
    static void start() {
        node = new RabbitNode(RabbitSettings.in(directory)).start();
        // Longer than any restart of the broker, so that no message times out.
        server = TestServer.startOnRabbit(
                node.uri(),
                new TestConstants().overdue(Duration.ofSeconds(110)),
                "chat.server.id=faulty",
                "chat.server.log.silence=30s",
                // After a stall, guests receive all that the kernel's buffers held. On a busy machine they read it
                // slowly.
                "chat.server.socket.outbox=128MB");
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
        assertThat(answer.statusCode()).as("status during log faults").isEqualTo(200);
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

    private static int readiness() throws IOException, InterruptedException {
        return get(URI.create("http://127.0.0.1:" + server.managementPort() + "/actuator/health/readiness"))
                .statusCode();
    }

    /** Says things, each again until it is accepted. */
    private static final class Speaker {
        final Guest guest;
        final List<UUID> accepted = new ArrayList<>();
        private int refusals;

        Speaker(Guest guest) {
            this.guest = guest;
        }

        void speakUntil(AtomicBoolean end) {
            do {
                UUID id = UUID.randomUUID();
                while (!guest.says("text", id, refusals)) {
                    refusals++;
                    long pause = System.nanoTime() + 10_000_000;
                    await().pollInterval(Duration.ofMillis(2)).until(() -> System.nanoTime() > pause);
                }
                accepted.add(id);
            } while (!end.get());
        }
    }

    /** How long each took to be refused, in milliseconds, ascending. */
    private static List<Long> refusals(Guest guest, int texts) {
        List<Long> millis = new ArrayList<>();
        for (int i = 0; i < texts; i++) {
            long begun = System.nanoTime();
            assertThat(guest.says("refused", UUID.randomUUID(), i)).isFalse();
            millis.add((System.nanoTime() - begun) / 1_000_000);
        }
        return millis.stream().sorted().toList();
    }

    @Test
    void killedBrokerLosesNoAcceptedMessage() throws Exception {
        Speaker speaker = new Speaker(Guest.connect(server, "killed", 1).joined());
        Guest listener = Guest.connect(server, "killed", 2).joined();
        Speaker other = new Speaker(Guest.connect(server, "killed", 3).joined());
        Guest refused = Guest.connect(server, "killed", 4).joined();
        long before = listener.position();
        AtomicBoolean end = new AtomicBoolean();
        LogBreaker breaker = server.bean(LogBreaker.class);
        List<LogBreaker.State> breakerStates = new CopyOnWriteArrayList<>();
        Runnable unwatch = server.bean(RoomLog.class).onStateChange(() -> breakerStates.add(breaker.state()));
        int channels = channels();
        Duration recovery;
        try (ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> speaking = thread.submit(() -> speaker.speakUntil(end));
            Future<?> asking;
            try {
                listener.await("some texts", () -> listener.texts().size() >= 20);

                node.kill();

                until(() -> breaker().equals("OPEN"));
                assertThat(log()).isEqualTo("DOWN");
                assertThat(metrics())
                        .contains("chat_log_breaker{state=\"OPEN\"} 1.0")
                        .contains("chat_log_state{state=\"DOWN\"} 1.0");
                int heard = listener.texts().size();
                // Ten answers of a thousand may be the machine's.
                List<Long> millis = refusals(refused, 1000);
                assertThat(millis.get(989))
                        .as("99th percentile of the refusals, ms")
                        .isLessThan(50);
                assertThat(millis.getLast()).as("the slowest refusal, ms").isLessThan(1000);
                asking = thread.submit(() -> other.speakUntil(end));
                node.start();
                long up = System.nanoTime();
                until(() -> listener.texts().size() > heard);
                recovery = Duration.ofNanos(System.nanoTime() - up);
                until(() -> breaker().equals("CLOSED") && log().equals("UP"));
            } finally {
                end.set(true);
            }
            speaking.get();
            asking.get();
        }

        assertThat(recovery).isLessThan(Duration.ofSeconds(15));
        unwatch.run();
        assertThat(breakerStates)
                .containsSubsequence(LogBreaker.State.OPEN, LogBreaker.State.HALF_OPEN, LogBreaker.State.CLOSED);
        List<Integer> retryAfterMillis = refused.frames("ERROR").stream()
                .map(error -> error.get("retryAfterMs").asInt())
                .toList();
        assertThat(retryAfterMillis).allMatch(millis -> millis > 0 && millis <= 2_001);
        assertThat(retryAfterMillis).as("what was left of the wait").anyMatch(millis -> millis != 1_000);
        assertHeardOnceInOrder(listener, speaker, other);
        // Heard it may have been before the kill: the log must have it still.
        try (TestServer fresh = TestServer.startOnRabbit(node.uri(), "chat.server.id=fresh");
                Guest late = Guest.connect(fresh, "killed", 5).resume(before)) {
            assertHeardOnceInOrder(late, speaker, other);
            assertThat(late.frames("GAP")).isEmpty();
        }
        until(() -> channels() == channels);
        for (Guest guest : List.of(speaker.guest, other.guest, refused, listener)) guest.close();
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
    void blockedBrokerRejectsMessagesImmediatelyAndIsStillRead() throws Exception {
        Guest guest = Guest.connect(server, "blocked", 4).joined();
        Guest late = Guest.connect(server, "blocked", 5);
        assertThat(guest.says("before", UUID.randomUUID(), 0)).isTrue();
        long openedBefore = server.bean(LogBreaker.class).opened();
        List<String> said = new ArrayList<>();
        node.ctl("set_vm_memory_high_watermark", "0");
        try {
            long alarm = System.nanoTime();
            // The broker says so to those who publish: the first ones may get stuck, and are kept.
            until(() -> {
                said.add(guest.text("said").toString());
                return !guest.frames("ERROR").isEmpty();
            });
            late.join();
            assertThat(late.error().get("code").asString()).isEqualTo("UNAVAILABLE");
            assertThat(Duration.ofNanos(System.nanoTime() - alarm)).isLessThan(Duration.ofSeconds(1));
            assertThat(log()).isEqualTo("BLOCKED");
            assertThat(metrics()).contains("chat_log_state{state=\"BLOCKED\"} 1.0");
            assertThat(readiness()).as("another server would be no better off").isEqualTo(200);
            assertThat(entriesRead(new RoomId("blocked").partition(4))).isPositive();

            node.ctl("set_vm_memory_high_watermark", "absolute", "1GB");
            long unblocked = System.nanoTime();
            int errors = guest.frames("ERROR").size();
            until(() -> log().equals("UP"));
            assertThat(guest.says("after", UUID.randomUUID(), errors)).isTrue();
            assertThat(Duration.ofNanos(System.nanoTime() - unblocked)).isLessThan(Duration.ofSeconds(5));
        } finally {
            node.ctl("set_vm_memory_high_watermark", "absolute", "1GB");
        }
        guest.frames("ERROR")
                .forEach(error -> said.remove(error.get("messageId").asString()));
        assertThat(guest.heard().stream()
                        .filter(heard -> "said".equals(heard.text()))
                        .map(Guest.Heard::id))
                .as("all that was not refused")
                .isEqualTo(said);
        assertThat(guest.texts()).startsWith("before").endsWith("after").hasSize(said.size() + 2);
        assertThat(server.bean(LogBreaker.class).opened())
                .as("a block is no fault")
                .isEqualTo(openedBefore);
        guest.close();
        late.close();
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
    void stalledBrokerStopsSendersAndLosesNothing() throws Exception {
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
                            ids.add(guest.text(text).toString()); // blocks while its socket is full
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
                assertThat(sent).as("texts sent while the broker is stalled").hasValue(full);
                assertThat(heap() - heap).as("growth of the heap").isLessThan(8 << 20);
                assertThat(log()).isEqualTo("UP");
            } finally {
                end.set(true);
                node.resume();
            }
            Set<String> all = new HashSet<>();
            for (Future<Set<String>> one : speaking) all.addAll(one.get());
            for (Guest guest : guests) {
                await().atMost(PATIENCE)
                        .until(() -> guest.texts().size() >= all.size()
                                || guest.isClosed()
                                || !guest.frames("ERROR").isEmpty());
                assertThat(guest.frames("ERROR")).isEmpty();
                assertThat(guest.isClosed())
                        .as(() -> "closed with " + guest.closeCode())
                        .isFalse();
                assertThat(guest.heard().stream()
                                .filter(heard -> heard.text() != null)
                                .map(Guest.Heard::id))
                        .doesNotHaveDuplicates()
                        .containsExactlyInAnyOrderElementsOf(all);
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

    @ParameterizedTest
    @ValueSource(strings = {"publishes", "reads"})
    void lossOfEitherConnectionIsInHealthAndLosesNothing(String away) throws Exception {
        String stays = away.equals("reads") ? "publishes" : "reads";
        Speaker speaker = new Speaker(Guest.connect(server, away, 30).joined());
        Guest listener = Guest.connect(server, away, 31).joined();
        AtomicBoolean end = new AtomicBoolean();
        try (ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> speaking = thread.submit(() -> speaker.speakUntil(end));
            try {
                listener.await("some texts", () -> listener.texts().size() >= 20);
                List<String> kept = connections(stays);
                node.ctl("suspend_listeners"); // or it would be back before anybody looks
                try {
                    for (String connection : connections(away)) node.ctl("close_connection", connection, "test");
                    until(() -> log().equals("DOWN"));
                    assertThat(metrics()).contains("chat_log_state{state=\"DOWN\"} 1.0");
                    assertThat(readiness())
                            .as("another server would be no better off")
                            .isEqualTo(200);
                    assertThat(connections(away)).isEmpty();
                    assertThat(connections(stays)).isEqualTo(kept).hasSize(1);
                } finally {
                    node.ctl("resume_listeners");
                }
                until(() -> breaker().equals("CLOSED") && log().equals("UP"));
                int heard = listener.texts().size();
                listener.await("texts again", () -> listener.texts().size() > heard);
            } finally {
                end.set(true);
            }
            speaking.get();
        }
        assertHeardOnceInOrder(listener, speaker);
        speaker.guest.close();
        listener.close();
    }

    private static List<String> connections(String what) {
        return node.ctl("list_connections", "pid", "client_properties")
                .lines()
                .filter(line -> line.contains("\"faulty " + what + "\""))
                .map(line -> line.substring(0, line.indexOf('\t')))
                .toList();
    }

    @Test
    void lastConnectionStateIsCorrectAfterMissedEvents() throws Exception {
        Guest guest = Guest.connect(server, "flapping", 20).joined();
        flap("ok.");

        until(() -> breaker().equals("CLOSED") && log().equals("UP"));
        until(() -> guest.says("again", UUID.randomUUID(), guest.frames("ERROR").size()));

        flap(GOES + ".");
        try {
            until(() -> breaker().equals("OPEN") && log().equals("DOWN"));
            int errors = guest.frames("ERROR").size();
            assertThat(guest.says("refused", UUID.randomUUID(), errors)).isFalse();
            assertThat(breaker()).isEqualTo("OPEN");
        } finally {
            node.ctl("resume_listeners");
        }
        until(() -> breaker().equals("CLOSED") && log().equals("UP"));
        until(() -> guest.says("again", UUID.randomUUID(), guest.frames("ERROR").size()));
        guest.close();
    }

    /** Ten times within ten seconds the broker goes and comes back: by one command, since each takes a second to start. */
    private static void flap(String last) {
        node.ctl(
                "eval",
                "[begin " + GOES + ", timer:sleep(500), rabbit_maintenance:resume_all_client_listeners(), "
                        + "timer:sleep(400) end || _ <- lists:seq(1, 10)], " + last);
    }
}
