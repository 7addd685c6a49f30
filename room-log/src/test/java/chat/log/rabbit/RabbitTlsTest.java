package chat.log.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Over {@code amqps} nobody is told the password who has no certificate for the name, by somebody whom this JVM trusts. */
class RabbitTlsTest {
    private static final char[] PASSWORD = "changeit".toCharArray();

    @TempDir
    Path directory;

    private SSLContext before;
    /** What each connection has said first, in the clear; "" where it went without a word. */
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
    void aCertificateThatNobodyVouchesForIsNoBroker() throws Exception {
        connect(certificate("localhost"), () -> isRefusedFor("certification path"));
        assertThat(said).containsOnly("");
    }

    @Test
    void aCertificateForAnotherNameIsNoBroker() throws Exception {
        KeyStore elsewhere = certificate("elsewhere.example");
        trust(elsewhere);
        connect(elsewhere, () -> isRefusedFor("localhost"));
        assertThat(said).containsOnly("");
    }

    @Test
    void aTrustedBrokerIsSpokenTo() throws Exception {
        KeyStore trusted = certificate("localhost");
        trust(trusted);
        connect(trusted, () -> said.contains("AMQP"));
    }

    private boolean isRefusedFor(String why) {
        return !said.isEmpty() && faults.stream().anyMatch(fault -> fault.contains(why));
    }

    /** Connects to a server that shows this certificate and hears only the first word, until this is so. */
    private void connect(KeyStore certificate, Callable<Boolean> until) throws Exception {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(certificate, PASSWORD);
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

    private static void trust(KeyStore certificate) throws Exception {
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(certificate);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        SSLContext.setDefault(context);
    }

    /** Signed by itself, for that name; where it is trusted as it is, it stands for its issuer. */
    private KeyStore certificate(String name) throws Exception {
        Path file = directory.resolve(name + ".p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        name,
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        "san=dns:" + name,
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        file.toString(),
                        "-storepass",
                        new String(PASSWORD))
                .inheritIO()
                .start();
        assertThat(keytool.waitFor(1, TimeUnit.MINUTES)).isTrue();
        KeyStore own = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            own.load(in, PASSWORD);
        }
        KeyStore both = KeyStore.getInstance("PKCS12");
        both.load(null, null);
        both.setKeyEntry("key", own.getKey(name, PASSWORD), PASSWORD, own.getCertificateChain(name));
        both.setCertificateEntry("issuer", own.getCertificate(name));
        return both;
    }
}
