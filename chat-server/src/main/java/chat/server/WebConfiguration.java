package chat.server;

import chat.kit.identity.token.IdentitySettings;
import chat.kit.web.StaticFiles;
import chat.log.RoomLog;
import chat.log.breaker.LogBreaker;
import chat.server.admission.ConnectionLimit;
import chat.server.admission.OverloadGuard;
import chat.server.room.Rooms;
import chat.server.session.Sessions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Mono;

/** Serves the health and the page over HTTP. */
@Configuration(proxyBeanMethods = false)
class WebConfiguration {
    private static final String CONTENT_SECURITY_POLICY = "default-src 'self'; script-src 'self'; style-src 'self'; "
            + "img-src 'self' data:; connect-src 'self' ws: wss:; object-src 'none'; base-uri 'none'; "
            + "frame-ancestors 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

    /** The page, and the client library for other pages. */
    @Bean
    RouterFunction<ServerResponse> pageRoutes() {
        Map<String, Resource> files = new LinkedHashMap<>();
        StaticFiles.below("static").forEach((path, file) -> files.put("/" + path, file));
        files.put("/", new ClassPathResource("static/index.html"));
        return StaticFiles.routes(files, StaticFiles.headers(CONTENT_SECURITY_POLICY));
    }

    @Bean
    RouterFunction<ServerResponse> healthRoute(
            ServerId serverId,
            ConnectionLimit limit,
            OverloadGuard guard,
            Sessions sessions,
            Rooms rooms,
            ReadAhead readAhead,
            IdentitySettings identity,
            ObjectProvider<LogBreaker> breaker) {
        return RouterFunctions.route()
                .GET(
                        "/health",
                        request -> health(
                                serverId,
                                limit,
                                guard,
                                status(sessions, readAhead, log(rooms)),
                                rooms,
                                identity,
                                breaker.getIfAvailable()))
                .build();
    }

    private static Mono<ServerResponse> health(
            ServerId serverId,
            ConnectionLimit limit,
            OverloadGuard guard,
            Status status,
            Rooms rooms,
            IdentitySettings identity,
            @Nullable LogBreaker breaker) {
        Map<String, Object> capacity = new LinkedHashMap<>();
        capacity.put("current", limit.current());
        capacity.put("max", limit.max());
        capacity.put("healthy", !limit.isFull() && !guard.isRejecting());
        Set<String> shortOf = guard.shortOf();
        if (!shortOf.isEmpty()) capacity.put("shortOf", shortOf);
        Map<String, Object> health = new LinkedHashMap<>();
        health.put("status", status.name());
        health.put("serverId", serverId.value());
        health.put("identity", identity.isOpen() ? "open" : "token");
        health.put("log", log(rooms).name());
        if (breaker != null) health.put("breaker", breaker.state().name());
        health.put("capacity", capacity);
        return ServerResponse.status(status.takesSockets ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE)
                .contentType(MediaType.APPLICATION_JSON)
                .bodyValue(health);
    }

    private enum Status {
        STARTING(false),
        UP(true),
        /**
         * The log accepts no messages, so the server rejects them. Still 200: all servers share the log, and a load
         * balancer that removed all of them would also close the sockets, which still get presence and history.
         */
        DEGRADED(true),
        STOPPING(false);

        private final boolean takesSockets;

        Status(boolean takesSockets) {
            this.takesSockets = takesSockets;
        }
    }

    private static Status status(Sessions sessions, ReadAhead readAhead, RoomLog.State log) {
        if (sessions.isStopping()) return Status.STOPPING;
        if (!readAhead.isOver()) return Status.STARTING;
        return log == RoomLog.State.UP ? Status.UP : Status.DEGRADED;
    }

    /** The state of the log for members here: an unread partition counts as down, even if the broker is reachable. */
    private static RoomLog.State log(Rooms rooms) {
        RoomLog.State state = rooms.logState();
        return state == RoomLog.State.UP && !rooms.available() ? RoomLog.State.DOWN : state;
    }

    /** The page loads nothing from other sites and never mixes modules of two versions. */
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
