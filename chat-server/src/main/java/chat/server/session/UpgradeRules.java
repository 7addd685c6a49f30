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
 * Checks the rules of RFC 6455, 4.2.1, for an upgrade that WebFlux does not check. Netty alone would also serve older
 * versions of the protocol, and throw an exception for unknown ones.
 */
final class UpgradeRules {
    static final String VERSION = "Sec-WebSocket-Version";
    static final String SUPPORTED_VERSION = "13";

    private static final String KEY = "Sec-WebSocket-Key";
    private static final int KEY_BYTES = 16;

    private UpgradeRules() {}

    /** Returns the status to respond with; null if the upgrade is valid. */
    static @Nullable HttpStatus violation(ServerHttpRequest request) {
        HttpHeaders headers = request.getHeaders();
        HttpServerRequest netty = ServerHttpRequestDecorator.getNativeRequest(request);
        if (!headers.getOrEmpty(VERSION).equals(List.of(SUPPORTED_VERSION))) return HttpStatus.UPGRADE_REQUIRED;
        boolean hasBody = headers.getContentLength() > 0 || headers.containsHeader(HttpHeaders.TRANSFER_ENCODING);
        boolean valid = netty.version().text().equals("HTTP/1.1") && isKey(headers.getOrEmpty(KEY)) && !hasBody;
        return valid ? null : HttpStatus.BAD_REQUEST;
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
