package chat.kit.identity.token;

import chat.kit.identity.token.TokenRejected.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * Extracts the token of a request: from the Authorization header, or from the subprotocols as {@code bearer.<token>},
 * because a web page cannot set headers for a WebSocket. Rejects tokens in the query: addresses end up in logs,
 * histories and Referer headers.
 */
final class ShownToken {
    private static final String SCHEME = "bearer ";
    private static final String SUBPROTOCOL = "bearer.";
    private static final String SUBPROTOCOLS = "Sec-WebSocket-Protocol";
    private static final Set<String> NAMES =
            Set.of("access_token", "token", "id_token", "jwt", "bearer", "auth", "authorization");
    /** The first characters of every token: a JSON object in base 64. */
    private static final String BEGINNING = "eyJ";

    private ShownToken() {}

    /** @return null if the request has no token */
    static @Nullable String of(ServerHttpRequest request) throws TokenRejected {
        if (isInQuery(request.getQueryParams()))
            throw new TokenRejected(Reason.IN_QUERY, "a token must not be part of the URL");
        List<String> shown = new ArrayList<>(1);
        HttpHeaders headers = request.getHeaders();
        for (String header : headers.getOrEmpty(HttpHeaders.AUTHORIZATION)) {
            if (!header.toLowerCase(Locale.ROOT).startsWith(SCHEME))
                throw new TokenRejected(Reason.MALFORMED, "the Authorization header must be a bearer token");
            shown.add(header.substring(SCHEME.length()).strip());
        }
        for (String header : headers.getOrEmpty(SUBPROTOCOLS))
            for (String protocol : header.split(",", -1))
                if (protocol.strip().startsWith(SUBPROTOCOL))
                    shown.add(protocol.strip().substring(SUBPROTOCOL.length()));
        if (shown.size() > 1)
            throw new TokenRejected(Reason.MALFORMED, "the request has more than one token; send one");
        return shown.isEmpty() ? null : shown.getFirst();
    }

    private static boolean isInQuery(Map<String, List<String>> query) {
        return query.entrySet().stream()
                .anyMatch(parameter -> NAMES.contains(parameter.getKey().toLowerCase(Locale.ROOT))
                        || parameter.getValue().stream()
                                .anyMatch(value -> value != null && value.startsWith(BEGINNING)));
    }
}
