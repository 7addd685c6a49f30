package chat.kit.web;

import chat.kit.admission.WebOrigin;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import reactor.core.publisher.Mono;

/**
 * Allows pages of other origins to read responses (CORS) with GET and HEAD, but not to change anything. Credentials are
 * not allowed, because there are no cookies; a page sends its token itself.
 */
final class CrossOrigin {
    /** Allows every origin. */
    private static final String ANY = "*";

    private static final List<HttpMethod> METHODS = List.of(HttpMethod.GET, HttpMethod.HEAD);
    private static final List<String> REQUEST_HEADERS = List.of(HttpHeaders.AUTHORIZATION);
    private static final List<String> RESPONSE_HEADERS =
            List.of(HttpHeaders.AGE, HttpHeaders.ETAG, HttpHeaders.RETRY_AFTER, HttpHeaders.WWW_AUTHENTICATE);
    /**
     * Headers of rejected WebSocket upgrades that every page may read: when to retry, and what is wrong with a token.
     */
    private static final List<String> REASON_HEADERS = List.of(HttpHeaders.RETRY_AFTER, HttpHeaders.WWW_AUTHENTICATE);

    private static final Duration KEPT = Duration.ofHours(1);

    private final boolean any;
    private final Set<WebOrigin> allowed;

    /** @throws IllegalArgumentException if one is not an origin; the message contains it */
    CrossOrigin(Collection<String> origins) {
        this.any = origins.contains(ANY);
        this.allowed = WebOrigin.allOf(
                origins.stream().filter(origin -> !origin.equals(ANY)).toList());
    }

    /** @param everybody whether pages of all origins may read this response, regardless of the settings */
    void apply(ServerHttpRequest request, ServerHttpResponse response, boolean everybody) {
        HttpHeaders headers = response.getHeaders();
        if (any) {
            allow(headers, ANY);
            return;
        }
        if (everybody) {
            headers.setAccessControlAllowOrigin(ANY);
            headers.setAccessControlExposeHeaders(REASON_HEADERS);
            return;
        }
        if (allowed.isEmpty()) return;
        // Last, because the handler sets its own Vary header.
        response.beforeCommit(() -> {
            headers.add(HttpHeaders.VARY, HttpHeaders.ORIGIN);
            return Mono.empty();
        });
        String origin = origin(request);
        if (origin != null) allow(headers, origin);
    }

    private @Nullable String origin(ServerHttpRequest request) {
        String text = request.getHeaders().getOrigin();
        WebOrigin origin = text == null ? null : WebOrigin.parse(text);
        return origin != null && allowed.contains(origin) ? text : null;
    }

    private static void allow(HttpHeaders response, String origin) {
        response.setAccessControlAllowOrigin(origin);
        response.setAccessControlExposeHeaders(RESPONSE_HEADERS);
    }

    /** Responds to the preflight request before a request with a token, if {@link #apply} has allowed the origin. */
    static void preflight(ServerHttpRequest request, HttpHeaders response) {
        if (request.getHeaders().getOrigin() == null || response.getAccessControlAllowOrigin() == null) return;
        response.setAccessControlAllowMethods(METHODS);
        response.setAccessControlAllowHeaders(REQUEST_HEADERS);
        response.setAccessControlMaxAge(KEPT);
    }
}
