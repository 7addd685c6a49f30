package chat.launcher;

import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Represents one connection of a user, in any number of rooms. */
final class RoomSocket implements WebSocket.Listener {
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final int user;
    private final Consumer<JsonNode> listener;
    private final StringBuilder frame = new StringBuilder();
    private final WebSocket socket;
    private CompletableFuture<?> sent = CompletableFuture.completedFuture(null);
    final CompletableFuture<Void> closed = new CompletableFuture<>();
    final Set<String> rooms = ConcurrentHashMap.newKeySet();
    /** Room and id. */
    final Set<String> acknowledged = ConcurrentHashMap.newKeySet();

    final Set<String> errors = ConcurrentHashMap.newKeySet();
    final Set<String> notStored = ConcurrentHashMap.newKeySet();
    volatile long storedThrough;
    volatile long lastPosition;

    /** @param token null: the server requires none */
    RoomSocket(int port, int user, String room, @Nullable String token, Consumer<JsonNode> listener) {
        this.user = user;
        this.listener = listener;
        WebSocket.Builder builder = HTTP.newWebSocketBuilder();
        if (token != null) builder.subprotocols("confab.v1", "bearer." + token);
        socket = builder.buildAsync(URI.create("ws://127.0.0.1:" + port + "/chat/" + room), this)
                .join();
    }

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        frame.append(data);
        if (last) {
            JsonNode whole = JsonMapper.shared().readTree(frame.toString());
            frame.setLength(0);
            hear(whole);
        }
        from.request(1);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<?> onClose(WebSocket from, int code, String reason) {
        closed.complete(null);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void onError(WebSocket from, Throwable failure) {
        closed.complete(null);
    }

    private void hear(JsonNode whole) {
        String room = whole.path("roomId").asString("");
        switch (whole.get("type").stringValue()) {
            case "WELCOME" -> rooms.add(room);
            case "ACK" -> {
                lastPosition = Math.max(
                        lastPosition, Long.parseLong(whole.get("position").stringValue()));
                for (JsonNode id : whole.get("messageIds")) acknowledged.add(room + " " + id.stringValue());
            }
            case "STORED" -> {
                for (JsonNode id : whole.path("notStored")) notStored.add(room + " " + id.stringValue());
                storedThrough = Long.parseLong(whole.get("position").stringValue());
            }
            case "ERROR" -> errors.add(whole.toString());
            default -> {}
        }
        listener.accept(whole);
    }

    private synchronized void send(String json) {
        sent = sent.thenCompose(before -> socket.sendText(json, true));
    }

    private String frame(String type, String room, String more) {
        return "{\"messageType\":\"" + type + "\",\"roomId\":\"" + room + "\",\"userId\":\"" + user
                + "\",\"username\":\"user" + user + "\",\"timestamp\":\"2026-11-20T10:00:00Z\"" + more + "}";
    }

    /** Sends a JOIN. */
    void ask(String room) {
        send(frame("JOIN", room, ",\"stored\":true"));
    }

    RoomSocket join(String room) {
        ask(room);
        await().atMost(PATIENCE).until(() -> rooms.contains(room));
        return this;
    }

    int user() {
        return user;
    }

    void text(String room, String id, String text) {
        send(frame("TEXT", room, ",\"messageId\":\"" + id + "\",\"message\":\"" + text + "\""));
    }
}
