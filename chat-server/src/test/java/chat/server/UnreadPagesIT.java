package chat.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.kit.management.http.HttpSettings;
import chat.log.InMemoryRoomLog;
import chat.testing.LogWatch;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Clients that ask for the page again and again in one write, and read nothing, hold one response each. */
class UnreadPagesIT {
    private static final int SOCKETS = 100;
    private static final int REQUESTS = 400;
    private static final long MEGABYTE = 1 << 20;

    private static InMemoryRoomLog log;
    private static TestServer server;

    @BeforeAll
    static void start() {
        log = new InMemoryRoomLog(1, 64 << 20, Clock.systemUTC());
        server = TestServer.start(
                log,
                new TestConstants()
                        .change(
                                HttpSettings.class,
                                now -> new HttpSettings(now.maxConnections(), now.inFlight(), Duration.ofSeconds(2))),
                "chat.http.in-flight=8MB");
    }

    @AfterAll
    static void stop() {
        server.close();
        log.close();
    }

    private static double gauge(String name) {
        return server.bean(MeterRegistry.class).get(name).gauge().value();
    }

    private static long nettyMemory() {
        var metric = ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT).metric();
        return metric.usedDirectMemory() + metric.usedHeapMemory();
    }

    private static byte[] requests(String upgrade) {
        return ("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + upgrade + "\r\n")
                .repeat(REQUESTS)
                .getBytes(US_ASCII);
    }

    private static Socket askAndReadNothing(byte[] requests) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4096);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
        socket.getOutputStream().write(requests);
        return socket;
    }

    @Test
    void unreadPipelinedResponsesAreBounded() throws Exception {
        byte[] plain = requests("");
        byte[] offeringHttp2 = requests("Connection: Upgrade\r\nUpgrade: h2c\r\n");
        List<Socket> sockets = new ArrayList<>();
        long before = nettyMemory();
        try (LogWatch watch = LogWatch.begin()) {
            for (int i = 0; i < SOCKETS; i++) sockets.add(askAndReadNothing(i % 2 == 0 ? plain : offeringHttp2));
            try (Guest guest = Guest.connect(server, "room", 1).joined()) {
                guest.awaitAck(guest.text("nobody is in the way"));
            }
            // By the server: all are open on this side.
            await().atMost(Duration.ofMinutes(1)).until(() -> {
                assertThat(nettyMemory() - before).isLessThan(40 * MEGABYTE);
                return gauge("chat.http.connections") == 0;
            });
            assertThat(gauge("chat.http.in.flight")).isZero();
            watch.assertQuiet();
        } finally {
            for (Socket socket : sockets) socket.close();
        }
    }
}
