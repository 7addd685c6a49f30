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
 * Where tokens are asked for, an upgrade passes Spring Security, behind the door. Nothing else does: the page and
 * {@code /health} are for everybody.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = IdentityConfiguration.MODE, havingValue = IdentityConfiguration.TOKEN)
@EnableWebFluxSecurity
public class TokenConfiguration {
    private static final ServerWebExchangeMatcher UPGRADES = exchange ->
            UpgradeRequests.areMeantBy(exchange.getRequest()) ? MatchResult.match() : MatchResult.notMatch();

    @Bean
    TokenCheck tokenCheck(Tokens tokens) {
        return token -> tokens.read(token)
                .toFuture()
                .thenApply(identity -> Objects.requireNonNull(identity, "a token is refused or says who it is for"));
    }

    @Bean
    SecurityWebFilterChain upgradeSecurity(
            ServerHttpSecurity http, Tokens tokens, TokenCheck check, UserSockets sockets, Rejections refusals) {
        refusals.expect(UserSockets.REASON);
        return TokenSecurity.bearerOnly(
                        http,
                        tokens,
                        new TokenProblems(refusals),
                        (passing, authentication) -> goOn(passing, authentication, check, sockets, refusals))
                .securityMatcher(UPGRADES)
                .authorizeExchange(exchanges -> exchanges.anyExchange().authenticated())
                .build();
    }

    /** On the socket's own event loop: where keys had to be fetched this may be another thread. */
    private static Mono<Void> goOn(
            WebFilterExchange passing,
            Authentication authentication,
            TokenCheck check,
            UserSockets sockets,
            Rejections refusals) {
        if (!(authentication instanceof KnownAuthentication known))
            throw new IllegalStateException("authenticated by somebody else");
        ServerWebExchange exchange = passing.getExchange();
        Rejection refusal = sockets.refuses(known.identity().userId());
        if (refusal != null) return refusals.answer(exchange, refusal);
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
