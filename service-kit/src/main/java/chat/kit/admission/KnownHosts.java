package chat.kit.admission;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * Rejects requests for other hosts with 421, against DNS rebinding: a page of {@code evil.example} could resolve its
 * name to 127.0.0.1 and read a local server's responses as its own origin. It cannot do this with localhost or an IP
 * address. A request without a {@code Host} is HTTP/1.0, which browsers do not use.
 */
@Order(Ordered.HIGHEST_PRECEDENCE + 1)
public final class KnownHosts implements WebFilter {
    /** Accepts every host. */
    public static final String ANY = "*";

    private static final String LOCALHOST = "localhost";
    private static final String PROBLEM =
            "{\"title\":\"Misdirected Request\",\"status\":421,\"detail\":\"the Host of this "
                    + "request is not accepted: use localhost, an IP address or a name in CHAT_ALLOWED_HOSTS "
                    + "(chat.web.allowed-hosts)\"}";

    private final Set<String> names;
    private final Predicate<ServerWebExchange> everyHost;

    /**
     * @param names host names accepted besides localhost and IP addresses, without a port, such as {@code chat.example}
     * @throws IllegalArgumentException if one is not a host name; the message contains it
     */
    public KnownHosts(Collection<String> names) {
        this(names, exchange -> false);
    }

    /** @param everyHost whether to accept every host */
    public KnownHosts(Collection<String> names, Predicate<ServerWebExchange> everyHost) {
        this.everyHost = everyHost;
        this.names = names.stream().map(KnownHosts::name).collect(Collectors.toUnmodifiableSet());
    }

    private static String name(String text) {
        if (text.equals(ANY)) return text;
        HostPort parsed = HostPort.parse(text);
        if (parsed == null || text.indexOf(':') >= 0)
            throw new IllegalArgumentException(
                    "a host must be a name like chat.example, without scheme and port, or * for all, not " + text);
        return parsed.host();
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        String host = exchange.getRequest().getHeaders().getFirst(HttpHeaders.HOST);
        if (host == null || everyHost.test(exchange) || accepts(host)) return chain.filter(exchange);
        ServerHttpResponse response = exchange.getResponse();
        byte[] problem = PROBLEM.getBytes(StandardCharsets.UTF_8);
        response.setStatusCode(HttpStatus.MISDIRECTED_REQUEST);
        HttpHeaders headers = response.getHeaders();
        headers.setContentType(MediaType.APPLICATION_PROBLEM_JSON);
        headers.setContentLength(problem.length);
        headers.setCacheControl("no-store");
        headers.set(HttpHeaders.CONNECTION, "close");
        return response.writeWith(Mono.just(response.bufferFactory().wrap(problem)));
    }

    boolean accepts(String host) {
        if (names.contains(ANY)) return true;
        HostPort parsed = HostPort.parse(host);
        if (parsed == null) return false;
        String name = parsed.host();
        return name.equals(LOCALHOST) || name.endsWith("." + LOCALHOST) || names.contains(name) || parsed.isLiteral();
    }
}
