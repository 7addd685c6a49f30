package chat.log.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Over {@code amqps}, the password is sent only to a server with a trusted certificate for its name. */
class RabbitTlsTest {
    @TempDir
    Path directory;

    private SSLContext before;
    /** The first decrypted bytes of each connection; "" if it closed without sending any. */
    private final List<String> said = new CopyOnWriteArrayList<>();

    private final List<String> faults = new CopyOnWriteArrayList<>();

    @BeforeEach
    void keepTrust() throws Exception {
        before = SSLContext.getDefault();
    }

    @AfterEach
    void trustAsBefore() {
        SSLContext.setDefault(before);
    }

    @Test
    void untrustedCertificateIsRejected() throws Exception {
        connect(TestCertificates.of("localhost", directory), () -> isRefusedFor("certification path"));
        assertThat(said).containsOnly("");
    }

    @Test
    void certificateForAnotherNameIsRejected() throws Exception {
        KeyStore elsewhere = TestCertificates.of("elsewhere.example", directory);
        TestCertificates.trust(elsewhere);
        connect(elsewhere, () -> isRefusedFor("localhost"));
        assertThat(said).containsOnly("");
    }

    @Test
    void trustedBrokerIsAccepted() throws Exception {
        KeyStore trusted = TestCertificates.of("localhost", directory);
        TestCertificates.trust(trusted);
        connect(trusted, () -> said.contains("AMQP"));
    }

    private boolean isRefusedFor(String why) {
        return !said.isEmpty() && faults.stream().anyMatch(fault -> fault.contains(why));
    }

    /** Connects to a server with this certificate, which reads only the first bytes, until the condition holds. */
    private void connect(KeyStore certificate, Callable<Boolean> until) throws Exception {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(certificate, TestCertificates.PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        SSLServerSocket server = (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 5, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(() -> hear(server));
        URI uri = URI.create("amqps://guest:guest@localhost:" + server.getLocalPort());
        RabbitLogSettings settings = new RabbitLogSettings(uri, 1, "chat", 16, Duration.ofSeconds(10));
        RabbitRoomLog log = new RabbitRoomLog(settings, "tls", RabbitRoomLog.Access.READ);
        log.onFault(faults::add);
        try (server) {
            await().atMost(Duration.ofSeconds(20)).until(until);
        } finally {
            log.close();
        }
    }

    private void hear(SSLServerSocket server) {
        while (true) {
            try (Socket client = server.accept()) {
                said.add(firstWord(client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private static String firstWord(Socket client) {
        try (InputStream in = client.getInputStream()) {
            return new String(in.readNBytes(4), StandardCharsets.US_ASCII);
        } catch (IOException refused) {
            return "";
        }
    }
}
