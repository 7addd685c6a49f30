package chat.server;

import chat.log.RoomLog;
import chat.log.breaker.LogBreaker;
import chat.server.limit.ConnectionLimit;
import chat.server.room.Rooms;
import chat.server.session.Sessions;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Mono;

/** What the chat server says over HTTP: its health, its page, and to whom it says no. */
@Configuration(proxyBeanMethods = false)
class WebConfiguration {
    private static final String CONTENT_SECURITY_POLICY = "default-src 'self'; script-src 'self'; style-src 'self'; "
            + "img-src 'self' data:; connect-src 'self' ws: wss:; object-src 'none'; base-uri 'none'; "
            + "frame-ancestors 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

    @Bean
    StrictRequests strictRequests() {
        return new StrictRequests();
    }

    @Bean
    RouterFunction<ServerResponse> healthRoute(
            ServerId serverId,
            ConnectionLimit limit,
            Sessions sessions,
            Rooms rooms,
            ObjectProvider<LogBreaker> breaker) {
        return RouterFunctions.route()
                .GET("/health", request -> health(serverId, limit, sessions, rooms, breaker.getIfAvailable()))
                .build();
    }

    private static Mono<ServerResponse> health(
            ServerId serverId, ConnectionLimit limit, Sessions sessions, Rooms rooms, @Nullable LogBreaker breaker) {
        boolean up = !sessions.isStopping();
        Map<String, Object> capacity = new LinkedHashMap<>();
        capacity.put("current", limit.current());
        capacity.put("max", limit.max());
        capacity.put("healthy", limit.current() < limit.max());
        Map<String, Object> health = new LinkedHashMap<>();
        health.put("status", up ? "UP" : "STOPPING");
        health.put("serverId", serverId.value());
        health.put("log", log(rooms).name());
        if (breaker != null) health.put("breaker", breaker.state().name());
        health.put("capacity", capacity);
        return ServerResponse.status(up ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE)
                .contentType(MediaType.APPLICATION_JSON)
                .bodyValue(health);
    }

    /** Of the log as the members here have it: one whose partitions are not read is down, however reachable. */
    private static RoomLog.State log(Rooms rooms) {
        RoomLog.State state = rooms.logState();
        return state == RoomLog.State.UP && !rooms.available() ? RoomLog.State.DOWN : state;
    }

    /** Pages of other sites may not open sockets in their visitors' name. */
    @Bean
    @Order(-10)
    WebFilter originFilter(ChatServerProperties properties) {
        List<String> allowed = properties.allowedOrigins();
        return (exchange, chain) -> {
            List<String> origins = exchange.getRequest().getHeaders().getOrEmpty(HttpHeaders.ORIGIN);
            boolean foreign = origins.size() > 1
                    || origins.stream().anyMatch(origin -> !allowed.contains(origin) && !isOwn(origin, exchange));
            // By the header and not by the path, which has many spellings.
            if (!foreign || !exchange.getRequest().getHeaders().containsHeader(HttpHeaders.UPGRADE))
                return chain.filter(exchange);
            exchange.getResponse().setStatusCode(HttpStatus.FORBIDDEN);
            return exchange.getResponse().setComplete();
        };
    }

    private static boolean isOwn(String origin, ServerWebExchange exchange) {
        try {
            String host = exchange.getRequest().getHeaders().getFirst(HttpHeaders.HOST);
            return host != null && host.equals(URI.create(origin).getAuthority());
        } catch (IllegalArgumentException notAnOrigin) {
            return false;
        }
    }

    /** The page loads nothing from elsewhere, and no module of it is mixed with those of another version. */
    @Bean
    @Order(-9)
    WebFilter pageHeaders() {
        return (exchange, chain) -> {
            HttpHeaders headers = exchange.getResponse().getHeaders();
            headers.set("Content-Security-Policy", CONTENT_SECURITY_POLICY);
            headers.set("X-Content-Type-Options", "nosniff");
            headers.set("Referrer-Policy", "no-referrer");
            headers.setCacheControl("no-cache");
            return chain.filter(exchange);
        };
    }
}
