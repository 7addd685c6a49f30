package chat.load.lab.query;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A consumer's REST in miniature, with all of the catalogue. Rooms hold one TEXT every 100 ms from {@link #START} on,
 * users take turns. It can be told to lie, to fail and to wait.
 */
public final class FakeRest implements AutoCloseable {
    public static final Instant START = Instant.parse("2026-11-20T10:00:00Z");
    private static final long FIRST = 1_000_000;
    private static final long STEP = 7;
    private static final int USERS = 5;

    /** The faulty response. */
    record Instead(
            int status,
            String contentType,
            String body,
            @Nullable String retryAfter) {
        static Instead status(int status) {
            return new Instead(status, "application/problem+json", "{\"status\":" + status + "}", null);
        }
    }

    private record Row(long position, String user, long timestamp) {}

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Map<String, List<Row>> rooms = new TreeMap<>();
    private final Map<String, Instead> instead = new ConcurrentHashMap<>();
    private final Map<String, UnaryOperator<String>> lies = new ConcurrentHashMap<>();
    private final Map<String, Queue<Instead>> firstAnswers = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> asked = new ConcurrentHashMap<>();
    private final Queue<String> targets = new ConcurrentLinkedQueue<>();
    private volatile boolean skipsAtEdges;
    private volatile long delayMillis;
    private final CountDownLatch closing = new CountDownLatch(1);

    /** @param messages in each room */
    public FakeRest(int messages, String... roomIds) {
        for (String roomId : roomIds) {
            List<Row> rows = new ArrayList<>();
            for (int i = 0; i < messages; i++)
                rows.add(new Row(FIRST + i * STEP, Integer.toString(i % USERS + 1), START.toEpochMilli() + i * 100L));
            rooms.put(roomId, rows);
        }
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    public URI url() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /** @param ending of the path that does not exist */
    public void lacks(String ending) {
        answers(ending, Instead.status(404));
    }

    public void claimsNegativeUsers() {
        lies("/active-users", truth -> truth.replace(":", ":-"));
    }

    /** @param ending of the path */
    void answers(String ending, Instead always) {
        instead.put(ending, always);
    }

    void answersFirst(String ending, Instead... first) {
        firstAnswers.put(ending, new ConcurrentLinkedQueue<>(List.of(first)));
    }

    void lies(String ending, UnaryOperator<String> lie) {
        lies.put(ending, lie);
    }

    /** Every page but the first of a walk lacks its first message. */
    void skipsAtEdges() {
        skipsAtEdges = true;
    }

    void delaysAll(long millis) {
        delayMillis = millis;
    }

    int asked(String ending) {
        return asked.entrySet().stream()
                .filter(entry -> entry.getKey().endsWith(ending))
                .mapToInt(entry -> entry.getValue().get())
                .sum();
    }

    List<String> targets() {
        return List.copyOf(targets);
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            asked.computeIfAbsent(path, added -> new AtomicInteger()).incrementAndGet();
            targets.add(exchange.getRequestURI().toString());
            if (delayMillis > 0) {
                var unused = closing.await(delayMillis, java.util.concurrent.TimeUnit.MILLISECONDS);
            }
            Instead answer = answer(path, parameters(exchange.getRequestURI()));
            byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", answer.contentType());
            if (answer.retryAfter() != null) exchange.getResponseHeaders().set("Retry-After", answer.retryAfter());
            exchange.sendResponseHeaders(answer.status(), body.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(body);
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private Instead answer(String path, Map<String, String> parameters) {
        for (Map.Entry<String, Queue<Instead>> first : firstAnswers.entrySet()) {
            Instead next = path.endsWith(first.getKey()) ? first.getValue().poll() : null;
            if (next != null) return next;
        }
        for (Map.Entry<String, Instead> always : instead.entrySet())
            if (path.endsWith(always.getKey())) return always.getValue();
        String truth = truth(path, parameters);
        if (truth == null) return Instead.status(404);
        for (Map.Entry<String, UnaryOperator<String>> lie : lies.entrySet())
            if (path.endsWith(lie.getKey())) truth = lie.getValue().apply(truth);
        return new Instead(200, "application/json", truth, null);
    }

    private static Map<String, String> parameters(URI uri) {
        Map<String, String> parameters = new HashMap<>();
        if (uri.getQuery() == null) return parameters;
        for (String parameter : uri.getQuery().split("&", -1)) {
            String[] pair = parameter.split("=", 2);
            parameters.put(pair[0], pair[1]);
        }
        return parameters;
    }

    private @Nullable String truth(String path, Map<String, String> parameters) {
        String[] parts = path.split("/", -1);
        if (path.startsWith("/api/rooms/") && path.endsWith("/messages")) return roomMessages(parts[3], parameters);
        if (path.startsWith("/api/users/") && path.endsWith("/messages")) return userMessages(parts[3], parameters);
        if (path.startsWith("/api/users/") && path.endsWith("/rooms"))
            return "{\"userId\":\"%s\",\"rooms\":[%s]}".formatted(parts[3], counted("roomId", "lastActivity"));
        return switch (path) {
            case "/api/analytics/active-users" -> "{\"activeUsers\":" + USERS + "}";
            case "/api/analytics/messages-per-second", "/api/analytics/messages-per-minute", "/api/analytics/hourly" ->
                String.format(
                        Locale.ROOT,
                        "{\"buckets\":[{\"start\":%d,\"messages\":10},{\"start\":%d,\"messages\":9}]}",
                        millis(parameters.get("from")),
                        millis(parameters.get("from")) + 1);
            case "/api/analytics/top-users" ->
                "{\"users\":[{\"userId\":\"1\",\"messages\":9},{\"userId\":\"2\",\"messages\":9}]}";
            case "/api/analytics/top-rooms" -> "{\"rooms\":[%s]}".formatted(counted("roomId", "messages"));
            case "/api/analytics/participation" -> "{\"usersByMessages\":[{\"atLeast\":1,\"users\":5}]}";
            case "/api/metrics" -> "{\"all\":true}";
            default -> null;
        };
    }

    private String counted(String key, String value) {
        return rooms.keySet().stream()
                .map(room -> "{\"%s\":\"%s\",\"%s\":100}".formatted(key, room, value))
                .collect(Collectors.joining(","));
    }

    private String roomMessages(String roomId, Map<String, String> parameters) {
        long after = Long.parseLong(parameters.getOrDefault("after", "0"));
        String before = parameters.get("before");
        int limit = Integer.parseInt(parameters.getOrDefault("limit", "100"));
        List<Row> all = rooms.getOrDefault(roomId, List.of()).stream()
                .filter(row -> row.position() > after && (before == null || row.position() < Long.parseLong(before)))
                .filter(row -> inTime(row, parameters))
                .toList();
        boolean more = all.size() > limit;
        List<Row> page =
                !more ? all : before == null ? all.subList(0, limit) : all.subList(all.size() - limit, all.size());
        String next = !more ? "null" : "\"" + (before == null ? page.getLast() : page.getFirst()).position() + "\"";
        if (skipsAtEdges && parameters.containsKey("after") && after > 0 && !page.isEmpty())
            page = page.subList(1, page.size());
        return "{\"roomId\":\"%s\",\"messages\":[%s],\"next\":%s,\"storedThrough\":\"9\",\"gaps\":[]}"
                .formatted(roomId, page.stream().map(row -> json(row, null)).collect(Collectors.joining(",")), next);
    }

    private String userMessages(String userId, Map<String, String> parameters) {
        return "{\"userId\":\"%s\",\"messages\":[%s]}"
                .formatted(
                        userId,
                        rooms.entrySet().stream()
                                .limit(1)
                                .flatMap(room -> room.getValue().stream()
                                        .filter(row -> row.user().equals(userId) && inTime(row, parameters))
                                        .limit(1000)
                                        .map(row -> json(row, room.getKey())))
                                .collect(Collectors.joining(",")));
    }

    private static String json(Row row, @Nullable String room) {
        return String.format(
                Locale.ROOT,
                "{\"position\":\"%d\",%s\"messageType\":\"TEXT\",\"userId\":\"%s\",\"message\":\"hi\",\"timestamp\":%d}",
                row.position(),
                room == null ? "" : "\"roomId\":\"" + room + "\",",
                row.user(),
                row.timestamp());
    }

    private static boolean inTime(Row row, Map<String, String> parameters) {
        String from = parameters.get("from");
        String to = parameters.get("to");
        return (from == null || row.timestamp() >= millis(from)) && (to == null || row.timestamp() < millis(to));
    }

    private static long millis(@Nullable String instant) {
        return instant == null ? 0 : Instant.parse(instant).toEpochMilli();
    }

    @Override
    public void close() {
        closing.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
