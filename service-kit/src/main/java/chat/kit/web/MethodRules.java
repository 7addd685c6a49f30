package chat.kit.web;

import chat.kit.admission.SocketRoute;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.PathContainer;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * Handles requests on known paths of the public port that need no handler: HEAD is a GET without the body, OPTIONS
 * lists the methods, any other method gets a 405, and a trailing slash redirects to the path without it.
 */
@Order(Ordered.HIGHEST_PRECEDENCE + 2)
final class MethodRules implements WebFilter, SmartInitializingSingleton {
    private final ApplicationContext context;
    private final Supplier<KnownPaths> paths;
    private final CrossOrigin others;
    private final SocketRoute sockets;
    /** Read before the server starts, because event loops must not wait for each other. */
    private @Nullable KnownPaths known;

    /**
     * @param context context of the public port; on the management port its paths are 404
     * @param paths read when all beans, and so all routes, exist
     */
    MethodRules(ApplicationContext context, Supplier<KnownPaths> paths, CrossOrigin others, SocketRoute sockets) {
        this.context = context;
        this.paths = paths;
        this.others = others;
        this.sockets = sockets;
    }

    @Override
    public void afterSingletonsInstantiated() {
        known = paths.get();
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        ServerHttpRequest request = exchange.getRequest();
        KnownPaths known = Objects.requireNonNull(this.known);
        PathContainer path = request.getPath().pathWithinApplication();
        ServerHttpResponse response = exchange.getResponse();
        Set<HttpMethod> methods = known.methods(path);
        if (!context.equals(exchange.getApplicationContext()))
            return methods.isEmpty() ? chain.filter(exchange) : notHere(response);
        others.apply(request, response, known.isForEverybody(path));
        if (methods.isEmpty())
            return isSlashTooMany(path, known) ? redirect(request, response) : chain.filter(exchange);
        if (request.getMethod().equals(HttpMethod.OPTIONS)) {
            response.setStatusCode(HttpStatus.NO_CONTENT);
            response.getHeaders().setAllow(methods);
            CrossOrigin.preflight(request, response.getHeaders());
            return response.setComplete();
        }
        if (!methods.contains(request.getMethod())) return notAllowed(response, methods);
        // A WebSocket upgrade by HEAD is not changed to GET, so it is rejected.
        boolean head = request.getMethod().equals(HttpMethod.HEAD) && !sockets.isMeantBy(exchange);
        return chain.filter(
                head
                        ? exchange.mutate()
                                .request(builder -> builder.method(HttpMethod.GET))
                                .build()
                        : exchange);
    }

    /** On the management port, WebFlux also searches the context of the public port for handlers. */
    private static Mono<Void> notHere(ServerHttpResponse response) {
        response.setStatusCode(HttpStatus.NOT_FOUND);
        return response.setComplete();
    }

    private static boolean isSlashTooMany(PathContainer path, KnownPaths known) {
        int elements = path.elements().size();
        return elements > 1
                && path.value().endsWith("/")
                && !known.methods(path.subPath(0, elements - 1)).isEmpty();
    }

    /** Starts with exactly one slash, as every known path; two slashes would name another host. */
    private static Mono<Void> redirect(ServerHttpRequest request, ServerHttpResponse response) {
        URI asked = request.getURI();
        String path = asked.getRawPath();
        String query = asked.getRawQuery();
        String location = path.substring(0, path.length() - 1) + (query == null ? "" : "?" + query);
        response.setStatusCode(HttpStatus.PERMANENT_REDIRECT);
        response.getHeaders().setLocation(URI.create(location));
        return response.setComplete();
    }

    private static Mono<Void> notAllowed(ServerHttpResponse response, Set<HttpMethod> methods) {
        String names = String.join(", ", methods.stream().map(HttpMethod::name).toList());
        byte[] problem = ("{\"title\":\"Method Not Allowed\",\"status\":405,\"detail\":\"accepted are " + names + "\"}")
                .getBytes(StandardCharsets.UTF_8);
        response.setStatusCode(HttpStatus.METHOD_NOT_ALLOWED);
        HttpHeaders headers = response.getHeaders();
        headers.setAllow(methods);
        headers.setContentType(MediaType.APPLICATION_PROBLEM_JSON);
        headers.setContentLength(problem.length);
        return response.writeWith(Mono.just(response.bufferFactory().wrap(problem)));
    }
}
