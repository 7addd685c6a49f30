package chat.log.rabbit;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.log.LogUnavailable;
import chat.log.RoomLog;
import chat.nodes.Ports;
import chat.nodes.RabbitNode;
import chat.nodes.RabbitSettings;
import chat.nodes.RabbitTuning;
import chat.testing.Needs;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Publishes and reads over TLS. */
@Needs("rabbitmq")
class RabbitTlsIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    Path directory;

    @Test
    void entriesArePublishedAndReadOverTls() throws Exception {
        KeyStore certificate = TestCertificates.of("localhost", directory);
        int port = Ports.free();
        SSLContext before = SSLContext.getDefault();
        TestCertificates.trust(certificate);
        try (RabbitNode node = new RabbitNode(
                        RabbitSettings.in(directory.resolve("node")).withTuning(listeningWith(certificate, port)))
                .start()) {
            URI plain = URI.create(node.uri());
            URI uri = URI.create("amqps://" + plain.getUserInfo() + "@localhost:" + port);
            RabbitLogSettings settings = new RabbitLogSettings(uri, 1, "chat", 16, Duration.ofSeconds(10));
            RabbitRoomLog log = new RabbitRoomLog(settings, "tls", RabbitRoomLog.Access.READ_AND_WRITE);
            List<byte[]> read = new CopyOnWriteArrayList<>();
            try {
                await().atMost(PATIENCE).until(() -> log.state() == RoomLog.State.UP);
                assertThat(log.append(0, new byte[] {1, 2, 3}).toCompletableFuture())
                        .succeedsWithin(PATIENCE);
                try (RoomLog.Tail tail = log.tail(0, new RoomLog.Start.First(), into(read))) {
                    assertThat(tail).isNotNull();
                    await().atMost(PATIENCE).until(() -> !read.isEmpty());
                }
                assertThat(read).containsExactly(new byte[] {1, 2, 3});
                assertThat(node.ctl("list_connections", "--no-table-headers", "ssl")
                                .lines())
                        .as("connections for publishing and reading")
                        .hasSize(2)
                        .containsOnly("true");
            } finally {
                log.close();
            }
        } finally {
            SSLContext.setDefault(before);
        }
    }

    private RabbitTuning listeningWith(KeyStore certificate, int port) throws Exception {
        Path chain = directory.resolve("certificate.pem");
        Files.writeString(
                chain, pem("CERTIFICATE", certificate.getCertificate("key").getEncoded()));
        Path key = directory.resolve("key.pem");
        Files.writeString(
                key,
                pem(
                        "PRIVATE KEY",
                        certificate.getKey("key", TestCertificates.PASSWORD).getEncoded()));
        return new RabbitTuning(
                List.of(),
                List.of(
                        "listeners.ssl.local = 127.0.0.1:" + port,
                        "ssl_options.cacertfile = " + chain,
                        "ssl_options.certfile = " + chain,
                        "ssl_options.keyfile = " + key,
                        "ssl_options.verify = verify_none"),
                List.of(),
                "");
    }

    private static String pem(String what, byte[] encoded) {
        return "-----BEGIN %1$s-----%n%2$s%n-----END %1$s-----%n"
                .formatted(
                        what, Base64.getMimeEncoder(64, "\n".getBytes(US_ASCII)).encodeToString(encoded));
    }

    private static RoomLog.TailHandler into(List<byte[]> read) {
        return new RoomLog.TailHandler() {
            @Override
            public void entry(long offset, byte[] bytes) {
                read.add(bytes);
            }

            @Override
            public void ended(LogUnavailable cause) {
                read.clear();
            }
        };
    }
}
