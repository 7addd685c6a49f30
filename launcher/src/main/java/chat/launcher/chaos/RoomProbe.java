package chat.launcher.chaos;

import chat.protocol.RoomId;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Probes one room: sends ten messages per second as one member and reconnects when necessary. Measures the longest time
 * without an accepted message, and how far the room's history lags. Starts on construction, on two threads of its own.
 */
final class RoomProbe implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final long SEND_MILLIS = 100;
    private static final long ASK_MILLIS = 200;
    private static final int MAX_HEARD = 200;
    private static final String USER =
            "\"userId\":\"1\",\"username\":\"probe1\",\"timestamp\":\"2026-01-01T00:00:00Z\"";
    private static final Pattern MESSAGE_ID = Pattern.compile("\"messageId\":\"([^\"]+)\"");
    private static final Pattern TIMESTAMP = Pattern.compile("\"timestamp\":(\\d+)");

    private final RoomId room;
    private final URI proxy;
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    private volatile boolean closed;

    private long acceptedNanos = System.nanoTime();
    private long longestNanos;
    private long acceptedMillis;
    private long storedMillis;
    private long behindMillis;
    private long refusalNanos;
    private boolean recovered;
    private long recoveredNanos;
    private long longestAfterNanos;
    private String heard = "nothing";

    /**
     * Holds the measurements since {@link #begin}.
     *
     * @param silence longest time without an accepted message
     * @param behind largest age difference between the newest accepted message and the newest one in the history
     * @param refusal longest time until a message was rejected
     * @param after since {@link #recover}: the longest time without an accepted message, or the longest time until a
     *     message sent since then was accepted
     */
    record Seen(Duration silence, Duration behind, Duration refusal, Duration after) {
        Seen worst(Seen other) {
            return new Seen(
                    Collections.max(List.of(silence, other.silence)),
                    Collections.max(List.of(behind, other.behind)),
                    Collections.max(List.of(refusal, other.refusal)),
                    Collections.max(List.of(after, other.after)));
        }
    }

    /** @param proxy {@code http://host:port} of HAProxy */
    RoomProbe(RoomId room, URI proxy) {
        this.room = room;
        this.proxy = proxy;
        Thread unusedTalk = Thread.ofVirtual().name("probe-" + room.value()).start(this::talk);
        Thread unusedHistory =
                Thread.ofVirtual().name("history-" + room.value()).start(this::watchHistory);
    }

    synchronized void begin() {
        longestNanos = 0;
        behindMillis = 0;
        refusalNanos = 0;
        recovered = false;
        longestAfterNanos = 0;
    }

    /** Marks the end of the fault: messages sent after this call should not be delayed by it. */
    synchronized void recover() {
        recovered = true;
        recoveredNanos = System.nanoTime();
    }

    synchronized Seen seen() {
        long now = Math.max(longestNanos, System.nanoTime() - acceptedNanos);
        return new Seen(
                Duration.ofNanos(now),
                Duration.ofMillis(behindMillis),
                Duration.ofNanos(refusalNanos),
                Duration.ofNanos(Math.max(longestAfterNanos, silentSinceRecovery(System.nanoTime()))));
    }

    /** Returns whether messages are being accepted and reach the history. */
    synchronized boolean isWell() {
        long silent = System.nanoTime() - acceptedNanos;
        return acceptedMillis > 0
                && silent < TimeUnit.SECONDS.toNanos(1)
                && acceptedMillis - storedMillis < TimeUnit.SECONDS.toMillis(5);
    }

    /** @param nanoTime a value of {@link System#nanoTime} */
    synchronized boolean hasAcceptedSince(long nanoTime) {
        return acceptedNanos - nanoTime > 0;
    }

    /** Returns the state of the probe, for people. */
    synchronized String state() {
        return String.format(
                Locale.ROOT,
                "%s: last accepted %,d ms ago, history behind by %,d ms, last event: %s",
                room.value(),
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - acceptedNanos),
                acceptedMillis - storedMillis,
                heard);
    }

    private synchronized void heard(String what) {
        heard = what.length() <= MAX_HEARD ? what : what.substring(0, MAX_HEARD);
    }

    private long silentSinceRecovery(long now) {
        return recovered ? now - Math.max(acceptedNanos, recoveredNanos) : 0;
    }

    /** @param askedNanos when the message was sent; null if it was sent over another connection */
    private synchronized void accepted(String frame, @Nullable Long askedNanos) {
        long now = System.nanoTime();
        longestAfterNanos = Math.max(longestAfterNanos, silentSinceRecovery(now));
        if (recovered && askedNanos != null && askedNanos - recoveredNanos >= 0)
            longestAfterNanos = Math.max(longestAfterNanos, now - askedNanos);
        longestNanos = Math.max(longestNanos, now - acceptedNanos);
        acceptedNanos = now;
        acceptedMillis = Math.max(acceptedMillis, timestamp(frame));
    }

    private synchronized void refused(long afterNanos) {
        refusalNanos = Math.max(refusalNanos, afterNanos);
    }

    private synchronized void stored(long newest) {
        storedMillis = Math.max(storedMillis, newest);
        behindMillis = Math.max(behindMillis, acceptedMillis - storedMillis);
    }

    private static long timestamp(String json) {
        Matcher found = TIMESTAMP.matcher(json);
        return found.find() ? Long.parseLong(found.group(1)) : 0;
    }

    private void talk() {
        while (!closed) {
            try {
                Connection connection = new Connection();
                WebSocket socket = http.newWebSocketBuilder()
                        .connectTimeout(TIMEOUT)
                        .header("Origin", proxy.toString()) // the page's origin, because servers check it
                        .buildAsync(
                                URI.create(proxy.toString().replaceFirst("^http", "ws") + "/chat/" + room.value()),
                                connection)
                        .get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
                try {
                    say(socket, "{\"messageType\":\"JOIN\"," + USER + "}");
                    while (!closed && !connection.ended.isDone()) {
                        String id = UUID.randomUUID().toString();
                        connection.asked.put(id, System.nanoTime());
                        say(
                                socket,
                                "{\"messageType\":\"TEXT\"," + USER + ",\"message\":\"probe\",\"messageId\":\"" + id
                                        + "\"}");
                        TimeUnit.MILLISECONDS.sleep(SEND_MILLIS);
                    }
                } finally {
                    socket.abort();
                }
            } catch (ExecutionException | TimeoutException notNow) {
                // Expected during a fault: it counts as silence.
                heard(notNow.toString());
                pause(SEND_MILLIS);
            } catch (InterruptedException interrupted) {
                return;
            }
        }
    }

    private static void say(WebSocket socket, String frame)
            throws ExecutionException, TimeoutException, InterruptedException {
        socket.sendText(frame, true).get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    }

    private void watchHistory() {
        HttpRequest newest = HttpRequest.newBuilder(
                        proxy.resolve("/api/rooms/" + room.value() + "/messages?limit=1&before=" + Long.MAX_VALUE))
                .timeout(TIMEOUT)
                .build();
        while (!closed) {
            try {
                HttpResponse<String> answer = http.send(newest, HttpResponse.BodyHandlers.ofString());
                if (answer.statusCode() != 200) heard(answer.statusCode() + " " + answer.body());
                stored(answer.statusCode() == 200 ? timestamp(answer.body()) : 0);
            } catch (IOException notNow) {
                heard(notNow.toString());
                stored(0);
            } catch (InterruptedException interrupted) {
                return;
            }
            pause(ASK_MILLIS);
        }
    }

    private static void pause(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed = true;
        http.shutdownNow();
    }

    private final class Connection implements WebSocket.Listener {
        final CompletableFuture<Void> ended = new CompletableFuture<>();
        /** Send times of messages without a response, by message id. */
        final Map<String, Long> asked = new ConcurrentHashMap<>();

        private final StringBuilder frame = new StringBuilder();

        private @Nullable Long answered(String frame) {
            Matcher id = MESSAGE_ID.matcher(frame);
            return id.find() ? asked.remove(id.group(1)) : null;
        }

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            frame.append(data);
            if (last) {
                String whole = frame.toString();
                frame.setLength(0);
                if (whole.startsWith("{\"type\":\"ACK\"")) {
                    accepted(whole, answered(whole));
                } else if (whole.startsWith("{\"type\":\"ERROR\"")) {
                    Long askedNanos = answered(whole);
                    if (askedNanos != null) refused(System.nanoTime() - askedNanos);
                    heard(whole);
                }
            }
            socket.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
            heard(code + " " + reason);
            ended.complete(null);
            return null;
        }

        @Override
        public void onError(WebSocket socket, Throwable error) {
            heard(error.toString());
            ended.complete(null);
        }
    }
}
