package chat.kit.admission;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpHeaders;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Identifies requests that a program upgrades to WebSockets. An {@code Upgrade} header alone is not enough: clients
 * that prefer HTTP/2 send one with every request.
 */
public final class SocketRoute {
    private static final String WEBSOCKET = "websocket";

    private final @Nullable ApplicationContext context;
    private final PathPattern pattern;

    /**
     * @param context context of the public port; the management port has no WebSockets
     * @param pattern path pattern of the WebSockets, as in router functions
     */
    public SocketRoute(ApplicationContext context, String pattern) {
        this(context, PathPatternParser.defaultInstance.parse(pattern));
    }

    private SocketRoute(@Nullable ApplicationContext context, PathPattern pattern) {
        this.context = context;
        this.pattern = pattern;
    }

    /** Returns the route of a program without WebSockets. */
    public static SocketRoute none() {
        return new SocketRoute(null, PathPatternParser.defaultInstance.parse("/"));
    }

    /** Returns whether the request asks for an upgrade on a path with WebSockets. */
    public boolean isMeantBy(ServerWebExchange exchange) {
        return context != null
                && listsWebSocket(exchange.getRequest().getHeaders())
                && pattern.matches(exchange.getRequest().getPath().pathWithinApplication())
                && context.equals(exchange.getApplicationContext());
    }

    private static boolean listsWebSocket(HttpHeaders headers) {
        for (String line : headers.getOrEmpty(HttpHeaders.UPGRADE))
            for (String protocol : line.split(",", -1))
                if (protocol.strip().toLowerCase(Locale.ROOT).equals(WEBSOCKET)) return true;
        return false;
    }
}
