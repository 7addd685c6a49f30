package chat.server.session;

import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import reactor.netty.http.server.HttpServerRequest;

/**
 * What RFC 6455, 4.2.1, wants of an upgrade besides what WebFlux looks at: Netty would answer other versions of the protocol
 * in their manner, and throw at those it does not know.
 */
final class UpgradeRules {
    static final String VERSION = "Sec-WebSocket-Version";
    static final String SUPPORTED_VERSION = "13";

    private static final String KEY = "Sec-WebSocket-Key";
    private static final int KEY_BYTES = 16;

    private UpgradeRules() {}

    /** Null where it is a good one. */
    static @Nullable HttpStatus refusal(ServerHttpRequest request) {
        HttpHeaders headers = request.getHeaders();
        HttpServerRequest netty = ServerHttpRequestDecorator.getNativeRequest(request);
        if (!headers.getOrEmpty(VERSION).equals(List.of(SUPPORTED_VERSION))) return HttpStatus.UPGRADE_REQUIRED;
        boolean hasBody = headers.getContentLength() > 0 || headers.containsHeader(HttpHeaders.TRANSFER_ENCODING);
        boolean good = netty.version().text().equals("HTTP/1.1") && isKey(headers.getOrEmpty(KEY)) && !hasBody;
        return good ? null : HttpStatus.BAD_REQUEST;
    }

    private static boolean isKey(List<String> keys) {
        if (keys.size() != 1) return false;
        try {
            return Base64.getDecoder().decode(keys.getFirst()).length == KEY_BYTES;
        } catch (IllegalArgumentException notBase64) {
            return false;
        }
    }
}
