package chat.load.lab.query;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

/**
 * Sends GET requests over persistent HTTP/1.1 connections, one at a time per thread. Redirects are not followed.
 * Thread-safe.
 */
final class RestClient implements AutoCloseable {
    private static final int MAX_BODY = 64 << 20;
    private static final int EXCERPT = 160;
    private static final ObjectReader JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build()
            .reader();

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(3))
            .build();
    private final List<URI> bases;
    private final Duration timeout;

    /** @param bases such as {@code http://127.0.0.1:8090}; requests are distributed over them by number */
    RestClient(List<URI> bases, Duration timeout) {
        this.bases = List.copyOf(bases);
        this.timeout = timeout;
    }

    /**
     * A response.
     *
     * @param retryAfterMillis from {@code Retry-After} in seconds; the date form counts as absent
     */
    record Reply(URI uri, int status, String contentType, byte[] body, OptionalLong retryAfterMillis) {
        boolean isJson() {
            return contentType.contains("json");
        }

        /** @return null if it is not JSON */
        @Nullable
        JsonNode json() {
            try {
                return JSON.readTree(body);
            } catch (JacksonException malformed) {
                return null;
            }
        }

        /** Describes the response: status, URL, and beginning of the body. */
        String inWords() {
            String text = new String(body, 0, Math.min(body.length, EXCERPT), StandardCharsets.UTF_8).strip();
            return status + " from " + uri + (text.isEmpty() ? "" : ": " + text);
        }
    }

    /**
     * @param number selects the server
     * @throws IOException if there is no complete answer within the timeout
     */
    Reply get(long number, String target) throws IOException, InterruptedException {
        String base =
                bases.get((int) Math.floorMod(number, (long) bases.size())).toString();
        URI uri = URI.create((base.endsWith("/") ? base.substring(0, base.length() - 1) : base) + target);
        HttpRequest request = HttpRequest.newBuilder(uri)
                .timeout(timeout)
                .header("Accept", "application/json")
                .build();
        HttpResponse<byte[]> response;
        try {
            response = http.send(
                    request, HttpResponse.BodyHandlers.limiting(HttpResponse.BodyHandlers.ofByteArray(), MAX_BODY));
        } catch (HttpTimeoutException late) {
            throw new IOException("no answer from " + uri + " within " + timeout.toMillis() + " ms", late);
        } catch (IOException failed) {
            String reason = failed.getMessage();
            throw new IOException(
                    "no answer from " + uri + ": " + (reason == null ? "cannot connect" : reason), failed);
        }
        return new Reply(
                uri,
                response.statusCode(),
                response.headers().firstValue("Content-Type").orElse(""),
                response.body(),
                retryAfterMillis(response.headers().firstValue("Retry-After").orElse("")));
    }

    private static OptionalLong retryAfterMillis(String seconds) {
        try {
            return OptionalLong.of(Math.max(0, Math.multiplyExact(Long.parseLong(seconds.strip()), 1000)));
        } catch (NumberFormatException | ArithmeticException none) {
            return OptionalLong.empty();
        }
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
