package chat.persistence.access;

import chat.kit.identity.Identity;
import chat.kit.identity.token.KnownAuthentication;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.springframework.http.HttpStatus;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/**
 * Authorizes callers. Each route calls this itself, after all parsing of the path: a filter could read a path
 * differently from the route and let the wrong caller pass.
 */
public final class Callers {
    private final boolean open;

    /** @param open whether every caller may read everything */
    public Callers(boolean open) {
        this.open = open;
    }

    /** Runs the handler, or answers 403 if the caller lacks permission and 401 if the caller was not authenticated. */
    public Mono<ServerResponse> ifAllowed(
            ServerRequest request, Predicate<Identity> allowed, Supplier<Mono<ServerResponse>> answer) {
        if (open) return answer.get();
        return request.principal()
                .flatMap(principal -> principal instanceof KnownAuthentication known && allowed.test(known.identity())
                        ? answer.get()
                        : AccessProblem.response(HttpStatus.FORBIDDEN))
                .switchIfEmpty(Mono.defer(() -> AccessProblem.response(HttpStatus.UNAUTHORIZED)));
    }
}
