package chat.server.token;

import chat.identity.token.RefusedAuthentication;
import chat.identity.token.TokenRefused.Reason;
import chat.server.door.Refusals;
import chat.server.limit.Refusal;
import java.time.Duration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.web.server.ServerAuthenticationEntryPoint;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** What those hear who have no good token: why, and of the token nothing. */
final class TokenAnswers implements ServerAuthenticationEntryPoint {
    private static final String CHALLENGE = "Bearer realm=\"confab\"";
    private static final String INVALID = CHALLENGE + ", error=\"invalid_token\"";
    private static final Duration KEYS_MAY_BE_BACK = Duration.ofSeconds(5);

    private final Refusals refusals;

    TokenAnswers(Refusals refusals) {
        this.refusals = refusals;
        for (Reason reason : Reason.values()) refusals.expect(word(reason));
    }

    @Override
    public Mono<Void> commence(ServerWebExchange exchange, AuthenticationException failure) {
        Reason reason = RefusedAuthentication.reason(failure);
        ServerHttpResponse response = exchange.getResponse();
        Refusal refusal = switch (reason) {
            case IN_QUERY -> new Refusal(400, null, word(reason));
            case KEYS_UNAVAILABLE -> Refusal.unavailable(KEYS_MAY_BE_BACK, word(reason));
            case MISSING -> {
                response.getHeaders().set(HttpHeaders.WWW_AUTHENTICATE, CHALLENGE);
                yield new Refusal(401, null, word(reason));
            }
            case MALFORMED, SIGNATURE, EXPIRED, NOT_YET_VALID, ISSUER, AUDIENCE, USER, CLAIMS -> {
                response.getHeaders().set(HttpHeaders.WWW_AUTHENTICATE, INVALID);
                yield new Refusal(401, null, word(reason));
            }
        };
        return refusals.answer(response, refusal);
    }

    private static String word(Reason reason) {
        return "token-" + reason.word();
    }
}
