package chat.kit.admission;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpHeaders;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Where a program upgrades requests to sockets. An {@code Upgrade} header alone means little: clients that would like HTTP/2
 * send one with every request.
 */
public final class SocketRoute {
    private static final String WEBSOCKET = "websocket";

    private final @Nullable ApplicationContext context;
    private final PathPattern pattern;

    /**
     * @param context of the public port: the management port upgrades nothing
     * @param pattern of the sockets' paths, as in router functions
     */
    public SocketRoute(ApplicationContext context, String pattern) {
        this(context, PathPatternParser.defaultInstance.parse(pattern));
    }

    private SocketRoute(@Nullable ApplicationContext context, PathPattern pattern) {
        this.context = context;
        this.pattern = pattern;
    }

    /** The route of a program without sockets. */
    public static SocketRoute none() {
        return new SocketRoute(null, PathPatternParser.defaultInstance.parse("/"));
    }

    /** Whether a request asks for an upgrade to a socket where there are sockets. */
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
