package chat.load.lab.matrix;

import chat.load.lab.child.Child;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Checks that services answer, and that ports are free before a start. Blocks its caller. */
final class Readiness implements AutoCloseable {
    private static final Duration REQUEST = Duration.ofSeconds(2);
    private static final int CONNECT_MILLIS = 1_000;
    private static final long POLL_MILLIS = 200;
    /** A stopped program may need a moment to release its port. */
    private static final Duration LETTING_GO = Duration.ofSeconds(5);

    private static final int LAST_LINES = 3;
    private static final String CONFAB = "confab";
    private static final String LISTENS = "tcp";

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(REQUEST)
            .build();

    /** The message says why, for users. */
    static final class NotReady extends Exception {
        private static final long serialVersionUID = 1;

        NotReady(String message) {
            super(message);
        }
    }

    /**
     * Returns the URLs that show that chat servers are ready: Confab's health endpoint; for other servers only that
     * they listen.
     *
     * @param urls of the servers, {@code ws://host:port}
     * @param history REST API that the load reads; null: that of the platform
     * @param platform that starts them; null: they already run
     */
    static List<URI> of(List<URI> urls, String driver, @Nullable URI history, @Nullable Platform platform) {
        List<URI> ready = new ArrayList<>();
        for (URI url : urls) {
            boolean secure = "wss".equals(url.getScheme().toLowerCase(Locale.ROOT));
            int port = url.getPort() >= 0 ? url.getPort() : secure ? 443 : 80;
            ready.add(
                    driver.equals(CONFAB)
                            ? URI.create((secure ? "https://" : "http://") + url.getHost() + ":" + port + "/health")
                            : URI.create(LISTENS + "://" + url.getHost() + ":" + port));
        }
        // Chat servers are up before the consumer, and the load client needs the consumer at once.
        if (platform == null || urls.isEmpty() || !driver.equals(CONFAB)) return ready;
        OptionalInt consumer = platform.consumerPort();
        if (history != null) ready.add(history.resolve("/health"));
        else if (consumer.isPresent())
            ready.add(URI.create("http://" + urls.getFirst().getHost() + ":" + consumer.getAsInt() + "/health"));
        return ready;
    }

    /** Fails if a port is in use: an earlier or foreign platform would be mistaken for the new one. */
    void requireNobody(List<URI> urls) throws NotReady, InterruptedException {
        long begin = System.nanoTime();
        for (URI url : urls) {
            while (listens(url)) {
                if (System.nanoTime() - begin > LETTING_GO.toNanos())
                    throw new NotReady("something listens already at " + url.getHost() + ":" + port(url));
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            }
        }
    }

    private static boolean listens(URI url) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(url.getHost(), port(url)), CONNECT_MILLIS);
            return true;
        } catch (ConnectException refused) {
            return false;
        } catch (IOException unclear) {
            // For example a timeout: a hanging server also occupies the port.
            return true;
        }
    }

    private static int port(URI url) {
        if (url.getPort() >= 0) return url.getPort();
        return "https".equals(url.getScheme()) ? 443 : 80;
    }

    /**
     * Returns when every {@code http} URL answers with a status below 500 and every {@code tcp} URL listens.
     *
     * @param platform its end ends the wait; null: none
     */
    void await(List<URI> urls, @Nullable Child platform, Duration limit) throws NotReady, InterruptedException {
        long begin = System.nanoTime();
        for (URI url : urls) {
            while (true) {
                String reason = whyNot(url);
                if (reason == null) break;
                if (platform != null && !platform.isAlive())
                    throw new NotReady("the platform ended with code " + platform.exitCode() + ": "
                            + String.join(" / ", platform.lastLines(LAST_LINES)));
                if (System.nanoTime() - begin > limit.toNanos())
                    throw new NotReady(url + " does not answer within " + limit.toSeconds() + " s: " + reason);
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            }
        }
    }

    private @Nullable String whyNot(URI url) throws InterruptedException {
        if (LISTENS.equals(url.getScheme())) return listens(url) ? null : "nobody listens";
        try {
            HttpRequest request = HttpRequest.newBuilder(url).timeout(REQUEST).build();
            int status =
                    http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
            return status < 500 ? null : "status " + status;
        } catch (IOException notYet) {
            String message = notYet.getMessage();
            return message == null ? "no connection" : message;
        }
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
