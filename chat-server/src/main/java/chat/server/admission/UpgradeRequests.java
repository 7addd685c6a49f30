package chat.server.admission;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import java.util.List;
import java.util.Locale;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import reactor.netty.http.server.HttpServerRequest;

/** Recognizes requests for a WebSocket. */
public final class UpgradeRequests {
    /** The prefix of all WebSocket paths. */
    public static final String PATH = "/chat/";

    private UpgradeRequests() {}

    /**
     * Whether the headers ask for a WebSocket. The path has many spellings, and HTTP/2 upgrades also have an Upgrade
     * header.
     */
    public static boolean areAskedFor(HttpHeaders headers) {
        for (String upgrade : headers.getOrEmpty(HttpHeaders.UPGRADE))
            if (upgrade.toLowerCase(Locale.ROOT).contains("websocket")) return true;
        return false;
    }

    /**
     * Whether a request is an upgrade, or a plain GET of the same path. A browser hides the response to an upgrade from
     * its page; the page can request the reason with a GET.
     */
    public static boolean concern(ServerHttpRequest request) {
        return areAskedFor(request.getHeaders())
                || (request.getMethod().equals(HttpMethod.GET)
                        && request.getURI().getRawPath().startsWith(PATH));
    }

    /**
     * Normalizes the list headers of an upgrade: WebFlux and Netty read only the first line of a list and one spelling.
     */
    static void normalize(ServerHttpRequest request) {
        HttpServerRequest netty = ServerHttpRequestDecorator.getNativeRequest(request);
        io.netty.handler.codec.http.HttpHeaders headers = netty.requestHeaders();
        List<String> protocols = headers.getAll(HttpHeaderNames.SEC_WEBSOCKET_PROTOCOL);
        if (protocols.size() > 1) headers.set(HttpHeaderNames.SEC_WEBSOCKET_PROTOCOL, String.join(",", protocols));
        if (headers.containsValue(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET, true))
            headers.set(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET);
        if (headers.containsValue(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE, true))
            headers.set(HttpHeaderNames.CONNECTION, "Upgrade");
    }
}
