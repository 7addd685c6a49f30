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
 * Lets those be answered who may be. Asked by each route itself, behind everything that reads paths: a path that a filter
 * before it reads differently is answered to nobody.
 */
public final class Callers {
    private final boolean open;

    /** @param open whether everybody is told everything */
    public Callers(boolean open) {
        this.open = open;
    }

    /** The answer, or 403 for those who may not have it; 401 for those whom nobody has asked who they are. */
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
