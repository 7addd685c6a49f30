package chat.server.token;

import chat.kit.identity.token.RefusedAuthentication;
import chat.kit.identity.token.TokenRejected.Reason;
import chat.kit.identity.token.TokenSecurity;
import chat.server.admission.Rejection;
import chat.server.admission.Rejections;
import java.time.Duration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.web.server.ServerAuthenticationEntryPoint;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Responds to upgrades without a valid token. The response gives the reason and nothing of the token. */
final class TokenProblems implements ServerAuthenticationEntryPoint {
    private static final String INVALID = TokenSecurity.CHALLENGE + ", error=\"invalid_token\"";
    private static final Duration RETRY_AFTER = Duration.ofSeconds(5);

    private final Rejections rejections;

    TokenProblems(Rejections rejections) {
        this.rejections = rejections;
        for (Reason reason : Reason.values()) rejections.expect(word(reason));
    }

    @Override
    public Mono<Void> commence(ServerWebExchange exchange, AuthenticationException failure) {
        Reason reason = RefusedAuthentication.reason(failure);
        ServerHttpResponse response = exchange.getResponse();
        HttpStatus status = reason.status();
        if (status == HttpStatus.SERVICE_UNAVAILABLE)
            return rejections.respond(exchange, Rejection.unavailable(RETRY_AFTER, word(reason)));
        if (status == HttpStatus.UNAUTHORIZED)
            response.getHeaders()
                    .set(HttpHeaders.WWW_AUTHENTICATE, reason == Reason.MISSING ? TokenSecurity.CHALLENGE : INVALID);
        return rejections.respond(
                exchange, new Rejection(status.value(), null, word(reason)).with(detail(reason, failure)));
    }

    private static String detail(Reason reason, AuthenticationException failure) {
        return reason == Reason.MISSING
                ? "a token is required: send Authorization: Bearer <token> or the subprotocol bearer.<token>"
                : String.valueOf(failure.getMessage());
    }

    private static String word(Reason reason) {
        return "token-" + reason.word();
    }
}
