package chat.log.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Creates certificates for tests, and lets this JVM trust them. */
final class TestCertificates {
    static final char[] PASSWORD = "changeit".toCharArray();

    private TestCertificates() {}

    /** Makes this JVM trust only this certificate, until {@link SSLContext#setDefault} is called again. */
    static void trust(KeyStore certificate) throws Exception {
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(certificate);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        SSLContext.setDefault(context);
    }

    /** Creates a self-signed certificate for this name. */
    static KeyStore of(String name, Path directory) throws Exception {
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
