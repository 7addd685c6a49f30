package chat.kit.management;

import org.springframework.http.HttpStatus;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * Responds with 404 to invalid health paths such as {@code /actuator/health/../env}. Spring Boot's endpoint would
 * respond to some of them with 500 and log a stack trace.
 */
final class UnknownHealthPaths implements WebFilter {
    private static final String HEALTH = "/actuator/health/";

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        if (!exchange.getRequest().getURI().getRawPath().startsWith(HEALTH)) return chain.filter(exchange);
        return chain.filter(exchange)
                .onErrorResume(
                        failure ->
                                failure instanceof IllegalArgumentException || failure instanceof IllegalStateException,
                        unknown -> {
                            exchange.getResponse().setStatusCode(HttpStatus.NOT_FOUND);
                            return exchange.getResponse().setComplete();
                        });
    }
}
