package chat.load.driver;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

/**
 * Requests pages of stored messages over REST: {@code GET /api/rooms/{roomId}/messages?after=<position>&limit=1000}.
 * Blocks its caller.
 */
final class HistoryPages {
    private static final int PAGE = 1000;
    private static final Duration REQUEST = Duration.ofSeconds(20);
    private static final long RETRY_MILLIS = 200;
    private static final ObjectReader PAGES = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build()
            .readerFor(Page.class);

    /** The service answers, but cannot serve the request for now. */
    static final class Busy extends IOException {
        private static final long serialVersionUID = 1;

        Busy(String message) {
            super(message);
        }
    }

    record Row(
            @Nullable String position,
            @Nullable String messageId,
            @Nullable String messageType,
            @Nullable String userId,
            @Nullable String message) {}

    record Page(
            @Nullable List<Row> messages,
            @Nullable String next,
            @Nullable String storedThrough) {}

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(3))
            .build();
    private final URI base;
    private final @Nullable String token;

    /**
     * @param base such as {@code http://127.0.0.1:8090}
     * @param token sent with each request, null for none
     */
    HistoryPages(URI base, @Nullable String token) {
        this.base = base;
        this.token = token;
    }

    /**
     * Requests a page of up to 1,000 messages after a position, and retries if the request fails.
     *
     * @param retried kind of failure to retry
     * @param limit how long to retry
     * @throws IOException the last failure
     * @throws HistoryReader.Unusable if the answer is no history
     */
    Page get(String roomId, long after, Class<? extends IOException> retried, Duration limit)
            throws IOException, InterruptedException, HistoryReader.Unusable {
        long begin = System.nanoTime();
        while (true) {
            try {
                return get(roomId, after, PAGE);
            } catch (IOException failed) {
                if (!retried.isInstance(failed) || System.nanoTime() - begin > limit.toNanos()) throw failed;
                TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
            }
        }
    }

    /** Requests a page of up to {@code limit} messages after a position. */
    Page get(String roomId, long after, int limit) throws IOException, InterruptedException, HistoryReader.Unusable {
        String root = base.toString();
        URI uri = URI.create((root.endsWith("/") ? root.substring(0, root.length() - 1) : root) + "/api/rooms/" + roomId
                + "/messages?after=" + after + "&limit=" + limit);
        HttpRequest.Builder request =
                HttpRequest.newBuilder(uri).timeout(REQUEST).header("Accept", "application/json");
        if (token != null) request = request.header("Authorization", "Bearer " + token);
        HttpResponse<InputStream> response = http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        try (InputStream body = response.body()) {
            int status = response.statusCode();
            if (status >= 500 || status == 429) throw new Busy(uri + " answered " + status);
            if (status != 200) throw new HistoryReader.Unusable(uri + " answered " + status);
            Page page = PAGES.readValue(body);
            if (page == null || page.messages() == null)
                throw new HistoryReader.Unusable(uri + " did not answer with messages");
            return page;
        } catch (JacksonException notJson) {
            throw new HistoryReader.Unusable(uri + " did not answer with JSON: " + notJson.getOriginalMessage());
        }
    }

    /** @return -1 if it is no position */
    static long decimal(@Nullable String position) {
        if (position == null) return -1;
        try {
            return Long.parseLong(position);
        } catch (NumberFormatException notAPosition) {
            return -1;
        }
    }
}
