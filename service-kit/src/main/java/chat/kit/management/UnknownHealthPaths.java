package chat.kit.management;

import org.springframework.http.HttpStatus;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * 404 for parts of health that are none, such as {@code /actuator/health/../env}: Spring Boot's endpoint takes some of them
 * for bugs of its own, which would be 500 and a stack trace in the log.
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
