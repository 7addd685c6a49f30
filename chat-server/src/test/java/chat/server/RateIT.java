package chat.server;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.InMemoryRoomLog;
import chat.log.LogEntry;
import chat.log.LogUnavailable;
import chat.log.RoomLog;
import chat.log.Segment;
import chat.server.admission.AddressRateRule;
import chat.server.admission.RateCounters;
import chat.server.admission.RateScope;
import chat.server.admission.RateSettings;
import chat.server.admission.TokenQueueSettings;
import chat.server.session.Sessions;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** How fast clients may come in and speak, over real sockets. */
class RateIT {
    private static final String TRUSTED = "chat.server.trusted-proxies=127.0.0.1,10.0.0.0/8";

    private InMemoryRoomLog log;

    @BeforeEach
    void openLog() {
        log = new InMemoryRoomLog(1, 64 << 20, Clock.systemUTC());
    }

    @AfterEach
    void closeLog() {
        log.close();
    }

    private static String handshake(TestServer server, String... headers) throws Exception {
        String answer = RawSocket.handshake(server, "/chat/room", headers);
        return answer.substring(0, "HTTP/1.1 ...".length());
    }

    private static int upgraded(TestServer server, int times, String... headers) throws Exception {
        int upgraded = 0;
        for (int i = 0; i < times; i++) if (handshake(server, headers).endsWith("101")) upgraded++;
        return upgraded;
    }

    @Test
    void byDefaultNothingIsLimitedOrAnnounced() throws Exception {
        try (TestServer server = TestServer.start(log);
                Guest guest = Guest.connect(server, "room", 1)) {
            guest.joined();
            assertThat(guest.frames("WELCOME").getFirst().get("limits").has("messagesPerSecond"))
                    .isFalse();
            List<UUID> said =
                    IntStream.range(0, 500).mapToObj(i -> guest.text("t" + i)).toList();
            guest.awaitAck(said.getLast());
            assertThat(guest.frames("ERROR")).isEmpty();
            assertThat(upgraded(server, 100)).isEqualTo(100);
        }
    }

    @Test
    void messagesAboveTheSessionRateAreRejectedWithARetryDelay() throws Exception {
        try (TestServer server = TestServer.start(
                        log, "chat.server.rate.session.per-second=2", "chat.server.rate.session.burst=5");
                Guest guest = Guest.connect(server, "room", 1);
                Guest other = Guest.connect(server, "room", 2)) {
            guest.joined();
            JsonNode limits = guest.frames("WELCOME").getFirst().get("limits");
            assertThat(limits.get("messagesPerSecond").asInt()).isEqualTo(2);
            assertThat(limits.get("burst").asInt()).isEqualTo(5);
            StringBuilder frame = new StringBuilder("[");
            List<UUID> ids = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                ids.add(UUID.randomUUID());
                frame.append(i == 0 ? "" : ",").append(guest.textFrame("t" + i, ids.get(i)));
            }
            guest.say(frame.append("]").toString());
            guest.await(
                    "what became of all",
                    () -> guest.acks().size() + guest.frames("ERROR").size() >= 20);
            assertThat(guest.acks()).hasSizeBetween(4, 5);
            JsonNode error = guest.frames("ERROR").getFirst();
            assertThat(error.get("code").asString()).isEqualTo("RATE_LIMITED");
            assertThat(error.get("number").asInt()).isEqualTo(201);
            assertThat(error.get("retryable").asBoolean()).isTrue();
            assertThat(error.get("retryAfterMs").asInt()).isBetween(1, 500);
            assertThat(error.get("messageId").asString())
                    .isEqualTo(ids.get(guest.acks().size()).toString());
            other.joined();
            other.awaitAck(other.text("has its own"));
            assertThat(server.bean(RateCounters.class)
                            .of(RateScope.SESSION)
                            .rejected
                            .sum())
                    .isEqualTo(guest.frames("ERROR").size());
        }
    }

    @Test
    void userRateSpansSocketsRoomsAndReconnects() throws Exception {
        try (TestServer server =
                TestServer.start(log, "chat.server.rate.user.per-second=0.001", "chat.server.rate.user.burst=8")) {
            int said = 0;
            for (int i = 0; i < 10; i++) {
                try (Guest guest = Guest.connect(server, "room" + i, 7)) {
                    guest.join();
                    guest.await(
                            "an answer",
                            () -> guest.frames("WELCOME").size()
                                            + guest.frames("ERROR").size()
                                    > 0);
                    if (guest.frames("WELCOME").isEmpty()) continue;
                    said++;
                    UUID id = guest.text("t");
                    guest.await(
                            "an answer",
                            () -> guest.isAcknowledged(id)
                                    || !guest.frames("ERROR").isEmpty());
                    if (guest.isAcknowledged(id)) said++;
                }
            }
            assertThat(said).isEqualTo(8);
            try (Guest other = Guest.connect(server, "room", 8)) {
                other.joined();
            }
        }
    }

    private static RateSettings withShortQueueOfServer(RateSettings now) {
        TokenQueueSettings server = new TokenQueueSettings(
                now.server().perSecond(), now.server().burst(), now.server().policy(), 30, Duration.ofSeconds(10));
        return new RateSettings(now.session(), now.user(), server, now.address());
    }

    @Test
    void serverRateQueuesInOrderAndRejectsTheExcess() throws Exception {
        try (TestServer server = TestServer.start(
                        log,
                        new TestConstants().change(RateSettings.class, RateIT::withShortQueueOfServer),
                        "chat.server.rate.server.per-second=100",
                        "chat.server.rate.server.burst=1");
                Guest guest = Guest.connect(server, "room", 1)) {
            guest.joined();
            List<String> texts = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                texts.add("t" + i);
                guest.text("t" + i);
            }
            guest.await(
                    "what became of all",
                    () -> guest.acks().size() + guest.frames("ERROR").size() >= 60);
            assertThat(guest.acks().size()).isBetween(30, 45);
            List<String> heard = guest.texts();
            texts.retainAll(heard);
            assertThat(heard).isEqualTo(texts).startsWith("t0", "t1", "t2");
            Awaitility.await()
                    .until(() -> server.bean(MeterRegistry.class)
                                    .get("chat.rate.wait")
                                    .tag("bucket", "server")
                                    .timer()
                                    .count()
                            >= 29);
            assertThat(server.bean(RateCounters.class)
                            .of(RateScope.SERVER)
                            .waiting
                            .sum())
                    .isZero();
        }
    }

    @Test
    void floodIsRejectedThenClosedWithoutAffectingOthers() throws Exception {
        try (TestServer server = TestServer.start(
                        log, "chat.server.rate.session.per-second=10", "chat.server.rate.session.burst=10");
                Guest good = Guest.connect(server, "room", 1);
                RawSocket flood = RawSocket.connect(server, "/chat/room")) {
            good.joined();
            String identity = "\"userId\":\"2\",\"username\":\"flood\",\"timestamp\":\"2026-11-20T10:00:00Z\"}";
            flood.text("{\"messageType\":\"JOIN\"," + identity);
            String text = "{\"messageType\":\"TEXT\",\"message\":\"x\"," + identity;
            for (int i = 0; i < 3000; i++) flood.text(text);
            assertThat(flood.closeCode()).isEqualTo(4103);
            good.awaitAck(good.text("still here"));
            Awaitility.await().until(() -> server.bean(Sessions.class).count() == 1);
        }
    }

    @Test
    void addressAboveItsRateReceivesRetryAfter() throws Exception {
        try (TestServer server =
                TestServer.start(log, "chat.server.rate.address.per-second=0.05", "chat.server.rate.address.burst=5")) {
            assertThat(upgraded(server, 8)).isEqualTo(5);
            assertThat(RawSocket.handshake(server, "/chat/room"))
                    .startsWith("HTTP/1.1 429")
                    .containsPattern("(?i)\r\nRetry-After: (1[5-9]|20)\r\n")
                    .containsIgnoringCase("\r\nConnection: close\r\n");
            assertThat(server.refused(AddressRateRule.REASON)).isEqualTo(4);
        }
    }

    @Test
    void writingOtherAddressesIntoTheHeaderDoesNotHelp() throws Exception {
        try (TestServer server =
                TestServer.start(log, "chat.server.rate.address.per-second=0.01", "chat.server.rate.address.burst=5")) {
            int upgraded = 0;
            for (int i = 0; i < 20; i++)
                upgraded += upgraded(server, 1, "X-Forwarded-For: 192.0.2." + i, "Forwarded: for=192.0.2." + i);
            assertThat(upgraded).isEqualTo(5);
        }
    }

    @Test
    void clientsBehindATrustedProxyHaveSeparateRates() throws Exception {
        try (TestServer server = TestServer.start(
                log, TRUSTED, "chat.server.rate.address.per-second=0.01", "chat.server.rate.address.burst=5")) {
            int upgraded = 0;
            for (int i = 0; i < 20; i++)
                upgraded += upgraded(server, 1, "X-Forwarded-For: 203.0.113." + i + ", 192.0.2.7, 10.0.0." + i);
            assertThat(upgraded).isEqualTo(5);
            assertThat(upgraded(server, 1, "X-Forwarded-For: 192.0.2.8")).isEqualTo(1);
            int ofOneLine = 0;
            for (int i = 1; i < 20; i++)
                ofOneLine += upgraded(server, 1, String.format(Locale.ROOT, "X-Forwarded-For: 2001:db8:1:2::%x", i));
            assertThat(ofOneLine).isEqualTo(5);
        }
    }

    @Test
    void messageThroughATrustedProxyHasTheClientsAddress() throws Exception {
        try (TestServer server = TestServer.start(log, TRUSTED);
                TestServer distrustful = TestServer.start(log)) {
            String forwardedFor = "X-Forwarded-For: 203.0.113.9, 192.0.2.7, 10.0.0.3";
            assertThat(addressStoredOf(server, "proxied", forwardedFor)).isEqualTo("192.0.2.7");
            assertThat(addressStoredOf(distrustful, "direct", forwardedFor)).isEqualTo("127.0.0.1");
        }
    }

    private String addressStoredOf(TestServer server, String room, String header) throws Exception {
        CompletableFuture<String> stored = new CompletableFuture<>();
        RoomLog.TailHandler reading = new RoomLog.TailHandler() {
            @Override
            public void entry(long offset, byte[] bytes) {
                for (Segment segment : LogEntry.parse(bytes, 0, offset).segments())
                    if (segment.room().value().equals(room)) stored.complete(text(segment.clientAddress(0)));
            }

            @Override
            public void ended(LogUnavailable cause) {
                stored.completeExceptionally(cause);
            }
        };
        RoomLog.Tail tail = log.tail(0, new RoomLog.Start.First(), reading);
        try (RawSocket socket = RawSocket.connect(server.port(), "/chat/" + room, 0, header)) {
            socket.text("{\"messageType\":\"JOIN\",\"userId\":\"1\",\"username\":\"anna\","
                    + "\"timestamp\":\"2026-11-20T10:00:00Z\"}");
            return stored.get(10, TimeUnit.SECONDS);
        } finally {
            tail.close();
        }
    }

    private static String text(byte[] address) {
        try {
            return InetAddress.getByAddress(address).getHostAddress();
        } catch (UnknownHostException wrongLength) {
            throw new AssertionError(wrongLength);
        }
    }
}
