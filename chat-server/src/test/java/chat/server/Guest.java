package chat.server;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A client on the JDK's WebSocket that sends what a test wants and records every frame. Thread-safe. */
final class Guest implements AutoCloseable {
    private static final long PATIENCE_MILLIS = 60_000;
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    /** Frames of each type, in a socket that may receive very many. */
    private static final int MOST_CHECKED = 20;

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final String userId;
    private final String username;
    private final List<JsonNode> frames = new ArrayList<>();
    /** Conditions look at one type, again after each frame. */
    private final Map<String, List<JsonNode>> framesByType = new HashMap<>();

    private final List<Heard> heard = new ArrayList<>();
    private final List<String> texts = new ArrayList<>();
    private final Map<String, Long> acks = new LinkedHashMap<>();
    private final CompletableFuture<Integer> closed = new CompletableFuture<>();
    private final WebSocket socket;
    private volatile boolean reading = true;

    /** One message as it arrived, in its order. */
    record Heard(
            String room,
            long position,
            String type,
            String id,
            String userId,
            @Nullable String text) {}

    private Guest(URI uri, String userId, String... subprotocols) {
        this.userId = userId;
        this.username = "guest" + userId;
        WebSocket.Builder builder = CLIENT.newWebSocketBuilder();
        if (subprotocols.length > 0)
            builder.subprotocols(subprotocols[0], Arrays.copyOfRange(subprotocols, 1, subprotocols.length));
        try {
            this.socket = builder.buildAsync(uri, new Ears()).join();
        } catch (CompletionException refused) {
            throw new NotLetIn(uri, refused.getCause());
        }
    }

    /** No socket came of it. */
    static final class NotLetIn extends AssertionError {
        private static final long serialVersionUID = 1L;

        NotLetIn(URI uri, @Nullable Throwable cause) {
            super("no socket at " + uri, cause);
        }

        /** Seconds after which to try again, as the server has told with its 503; -1 where it has not. */
        int retryAfterSeconds() {
            return getCause() instanceof WebSocketHandshakeException answered
                            && answered.getResponse().statusCode() == 503
                    ? Integer.parseInt(answered.getResponse()
                            .headers()
                            .firstValue("Retry-After")
                            .orElse("-1"))
                    : -1;
        }
    }

    static Guest connect(TestServer server, String room, int userId, String... subprotocols) {
        return new Guest(server.socket(room), Integer.toString(userId), subprotocols);
    }

    /** Connects through this port, for example through a {@link BadLine}. */
    static Guest connect(int port, String room, int userId) {
        return new Guest(URI.create("ws://127.0.0.1:" + port + "/chat/" + room), Integer.toString(userId));
    }

    private final class Ears implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public void onOpen(WebSocket webSocket) {
            webSocket.request(1);
        }

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                JsonNode frame = JSON.readTree(text.toString());
                text.setLength(0);
                hear(frame);
            }
            if (reading) webSocket.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onPing(WebSocket webSocket, ByteBuffer message) {
            if (reading) webSocket.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket webSocket, int statusCode, String reason) {
            end(statusCode);
            return null;
        }

        @Override
        public void onError(WebSocket webSocket, Throwable error) {
            end(1006);
        }
    }

    private synchronized void hear(JsonNode frame) {
        frames.add(frame);
        String type = frame.get("type").asString();
        framesByType.computeIfAbsent(type, first -> new ArrayList<>()).add(frame);
        switch (type) {
            case "MESSAGES" ->
                frame.get("messages").forEach(message -> {
                    Heard one = heard(frame, message);
                    heard.add(one);
                    if (one.text() != null) texts.add(one.text());
                });
            case "ACK" ->
                frame.get("messageIds")
                        .forEach(id -> acks.putIfAbsent(
                                id.asString(),
                                Long.parseLong(frame.get("position").asString())));
            default -> {}
        }
        notifyAll();
    }

    private static Heard heard(JsonNode frame, JsonNode message) {
        JsonNode text = message.get("message");
        return new Heard(
                frame.get("roomId").asString(),
                Long.parseLong(frame.get("position").asString()),
                message.get("messageType").asString(),
                message.get("messageId").asString(),
                message.get("userId").asString(),
                text == null ? null : text.asString());
    }

    private synchronized void end(int code) {
        closed.complete(code);
        notifyAll();
    }

    String userId() {
        return userId;
    }

    String subprotocol() {
        return socket.getSubprotocol();
    }

    Guest join() {
        return say("{\"messageType\":\"JOIN\"," + identity() + "}");
    }

    Guest join(String room) {
        return say("{\"messageType\":\"JOIN\",\"roomId\":\"" + room + "\"," + identity() + "}");
    }

    Guest resume(long position) {
        return say("{\"messageType\":\"JOIN\",\"resume\":\"" + position + "\"," + identity() + "}");
    }

    /** Joins and waits for the answer. */
    Guest joined() {
        join();
        await("WELCOME", () -> !frames("WELCOME").isEmpty());
        return this;
    }

    UUID text(String message) {
        UUID id = UUID.randomUUID();
        text(message, id);
        return id;
    }

    void text(String message, UUID id) {
        say(textFrame(message, id));
    }

    /**
     * Says it and waits for what becomes of it.
     *
     * @param errors that have come before
     * @return whether it was accepted; refused because the server can't now where not, as the next error
     */
    boolean says(String message, UUID id, int errors) {
        text(message, id);
        await("an outcome of " + id, () -> isAcknowledged(id) || frames("ERROR").size() > errors);
        if (isAcknowledged(id)) return true;
        JsonNode error = frames("ERROR").get(errors);
        if (!error.get("code").asString().equals("UNAVAILABLE")
                || !error.get("messageId").asString().equals(id.toString())) throw new AssertionError(error);
        return false;
    }

    String textFrame(String message, UUID id) {
        return "{\"messageType\":\"TEXT\",\"messageId\":\"" + id + "\",\"message\":\"" + message + "\"," + identity()
                + "}";
    }

    UUID leave() {
        UUID id = UUID.randomUUID();
        say("{\"messageType\":\"LEAVE\",\"messageId\":\"" + id + "\"," + identity() + "}");
        return id;
    }

    String identity() {
        return "\"userId\":\"" + userId + "\",\"username\":\"" + username + "\",\"timestamp\":\"2026-11-20T10:00:00Z\"";
    }

    /** Sends one text frame as it is. */
    Guest say(String frame) {
        socket.sendText(frame, true).join();
        return this;
    }

    void sayInPieces(String... pieces) {
        for (int i = 0; i < pieces.length; i++)
            socket.sendText(pieces[i], i == pieces.length - 1).join();
    }

    void sayBinary(byte[] bytes) {
        socket.sendBinary(ByteBuffer.wrap(bytes), true).join();
    }

    void stopReading() {
        reading = false;
    }

    void readAgain() {
        reading = true;
        socket.request(1);
    }

    /** Cuts the connection without a word. */
    void abort() {
        socket.abort();
    }

    @Override
    public void close() {
        // At the end, since checking takes its time.
        checked().forEach(FrameSchemas::checkServerFrame);
        if (!socket.isOutputClosed()) {
            try {
                socket.sendClose(WebSocket.NORMAL_CLOSURE, "").get(5, TimeUnit.SECONDS);
            } catch (Exception alreadyGone) {
                socket.abort();
            }
        }
    }

    private synchronized List<JsonNode> checked() {
        return framesByType.values().stream()
                .flatMap(frames -> frames.stream().limit(MOST_CHECKED))
                .toList();
    }

    int closeCode() {
        await("the socket to be closed", closed::isDone);
        return closed.join();
    }

    boolean isClosed() {
        return closed.isDone();
    }

    void await(String what, BooleanSupplier condition) {
        await(what, Duration.ofMillis(PATIENCE_MILLIS), condition);
    }

    synchronized void await(String what, Duration patience, BooleanSupplier condition) {
        long deadline = System.nanoTime() + patience.toNanos();
        while (!condition.getAsBoolean()) {
            long left = (deadline - System.nanoTime()) / 1_000_000;
            if (left <= 0)
                throw new AssertionError("waited in vain for " + what + "; closed with " + closed.getNow(null)
                        + " after " + frames.size() + " frames, the last of them "
                        + frames.subList(Math.max(0, frames.size() - 5), frames.size()));
            try {
                wait(left);
            } catch (InterruptedException interrupted) {
                throw new AssertionError(interrupted);
            }
        }
    }

    JsonNode awaitFrame(String type, Predicate<JsonNode> which) {
        await(type, () -> frames(type).stream().anyMatch(which));
        return frames(type).stream().filter(which).findFirst().orElseThrow();
    }

    /** The first error that has come, or comes. */
    JsonNode error() {
        return awaitFrame("ERROR", any -> true);
    }

    void awaitText(String message) {
        await("the text " + message, () -> texts.contains(message));
    }

    void awaitAck(UUID id) {
        await("ACK of " + id, () -> isAcknowledged(id));
    }

    synchronized List<JsonNode> frames() {
        return List.copyOf(frames);
    }

    synchronized List<JsonNode> frames(String type) {
        return List.copyOf(framesByType.getOrDefault(type, List.of()));
    }

    /** All messages in the order in which they came. */
    synchronized List<Heard> heard() {
        return List.copyOf(heard);
    }

    synchronized List<String> texts() {
        return List.copyOf(texts);
    }

    /** Acknowledged ids with the position of their first ACK, in the order in which they came. */
    synchronized Map<String, Long> acks() {
        return new LinkedHashMap<>(acks);
    }

    synchronized boolean isAcknowledged(UUID id) {
        return acks.containsKey(id.toString());
    }

    /** The position that the last frame set. */
    synchronized long position() {
        for (JsonNode frame : frames.reversed()) {
            switch (frame.get("type").asString()) {
                case "WELCOME", "MESSAGES" -> {
                    return Long.parseLong(frame.get("position").asString());
                }
                case "GAP" -> {
                    return Long.parseLong(frame.get("to").asString());
                }
                default -> {}
            }
        }
        throw new AssertionError("no position yet");
    }
}
