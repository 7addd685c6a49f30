package chat.server.token;

import chat.kit.identity.token.IdentityConfiguration;
import chat.kit.identity.token.KnownAuthentication;
import chat.kit.identity.token.TokenSecurity;
import chat.kit.identity.token.Tokens;
import chat.server.admission.Rejection;
import chat.server.admission.Rejections;
import chat.server.admission.UpgradeRequests;
import chat.server.admission.UserSockets;
import chat.server.identity.SessionIdentity;
import chat.server.identity.TokenCheck;
import io.netty.channel.EventLoop;
import java.time.Clock;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.security.config.annotation.web.reactive.EnableWebFluxSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.WebFilterExchange;
import org.springframework.security.web.server.util.matcher.ServerWebExchangeMatcher;
import org.springframework.security.web.server.util.matcher.ServerWebExchangeMatcher.MatchResult;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.netty.http.server.HttpServerRequest;

/**
 * Sends upgrades through Spring Security if the server requires tokens. The handshake rules run before it. The page and
 * {@code /health} need no token.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = IdentityConfiguration.MODE, havingValue = IdentityConfiguration.TOKEN)
@EnableWebFluxSecurity
public class TokenConfiguration {
    private static final ServerWebExchangeMatcher UPGRADES =
            exchange -> UpgradeRequests.concern(exchange.getRequest()) ? MatchResult.match() : MatchResult.notMatch();

    @Bean
    TokenCheck tokenCheck(Tokens tokens) {
        return token -> tokens.read(token)
                .toFuture()
                .thenApply(identity -> Objects.requireNonNull(identity, "a valid token has an identity"));
    }

    @Bean
    SecurityWebFilterChain upgradeSecurity(
            ServerHttpSecurity http, Tokens tokens, TokenCheck check, UserSockets sockets, Rejections rejections) {
        rejections.expect(UserSockets.REASON);
        return TokenSecurity.bearerOnly(
                        http,
                        tokens,
                        new TokenProblems(rejections),
                        (passing, authentication) -> proceed(passing, authentication, check, sockets, rejections))
                .securityMatcher(UPGRADES)
                .authorizeExchange(exchanges -> exchanges.anyExchange().authenticated())
                .build();
    }

    /** Continues on the event loop of the connection: fetching keys may have switched threads. */
    private static Mono<Void> proceed(
            WebFilterExchange passing,
            Authentication authentication,
            TokenCheck check,
            UserSockets sockets,
            Rejections rejections) {
        if (!(authentication instanceof KnownAuthentication known))
            throw new IllegalStateException("unexpected type of authentication");
        ServerWebExchange exchange = passing.getExchange();
        Rejection rejection = sockets.check(known.identity().userId());
        if (rejection != null) return rejections.respond(exchange, rejection);
        exchange.getAttributes()
                .put(SessionIdentity.ATTRIBUTE, SessionIdentity.of(known.identity(), check, Clock.systemUTC()));
        Mono<Void> rest = Mono.defer(() -> passing.getChain().filter(exchange));
        EventLoop loop = loop(exchange);
        return loop == null || loop.inEventLoop() ? rest : rest.subscribeOn(Schedulers.fromExecutor(loop));
    }

    private static @Nullable EventLoop loop(ServerWebExchange exchange) {
        HttpServerRequest request = ServerHttpRequestDecorator.getNativeRequest(exchange.getRequest());
        AtomicReference<@Nullable EventLoop> loop = new AtomicReference<>();
        request.withConnection(connection -> loop.set(connection.channel().eventLoop()));
        return loop.get();
    }
}
