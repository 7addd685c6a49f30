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

/** Requests for a socket. */
public final class UpgradeRequests {
    /** Below it are the sockets. */
    public static final String PATH = "/chat/";

    private UpgradeRequests() {}

    /** By the header and not by the path, which has many spellings; a client that would like HTTP/2 has an Upgrade as well. */
    public static boolean areAskedFor(HttpHeaders headers) {
        for (String upgrade : headers.getOrEmpty(HttpHeaders.UPGRADE))
            if (upgrade.toLowerCase(Locale.ROOT).contains("websocket")) return true;
        return false;
    }

    /**
     * Whether a request is for a socket, or asks what would become of one: a browser hides the answer to an upgrade from its
     * page, which can ask for the reason by a plain GET of the same address.
     */
    public static boolean areMeantBy(ServerHttpRequest request) {
        return areAskedFor(request.getHeaders())
                || (request.getMethod().equals(HttpMethod.GET)
                        && request.getURI().getRawPath().startsWith(PATH));
    }

    /**
     * Brings the lists of an upgrade's headers into the one form that WebFlux and Netty read: they look at the first line
     * of a list only, and at one spelling.
     */
    static void unfold(ServerHttpRequest request) {
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
