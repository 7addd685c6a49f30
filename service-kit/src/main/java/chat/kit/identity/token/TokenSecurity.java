package chat.kit.identity.token;

import org.springframework.security.authentication.ReactiveAuthenticationManager;
import org.springframework.security.config.web.server.SecurityWebFiltersOrder;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.server.resource.authentication.BearerTokenAuthenticationToken;
import org.springframework.security.web.server.ServerAuthenticationEntryPoint;
import org.springframework.security.web.server.authentication.AuthenticationWebFilter;
import org.springframework.security.web.server.authentication.ServerAuthenticationEntryPointFailureHandler;
import org.springframework.security.web.server.authentication.ServerAuthenticationSuccessHandler;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Configures Spring Security for both programs: bearer tokens only. There are no cookies, sessions or forms that a
 * browser would send along with another site's request, so CSRF protection is off.
 */
public final class TokenSecurity {
    /** The {@code WWW-Authenticate} header for requests without a token. */
    public static final String CHALLENGE = "Bearer realm=\"confab\"";

    private TokenSecurity() {}

    /**
     * @param refused responds to requests without a valid token
     * @param known continues with requests with a valid token
     */
    public static ServerHttpSecurity bearerOnly(
            ServerHttpSecurity http,
            Tokens tokens,
            ServerAuthenticationEntryPoint refused,
            ServerAuthenticationSuccessHandler known) {
        AuthenticationWebFilter authentication = new AuthenticationWebFilter(manager(tokens));
        authentication.setServerAuthenticationConverter(TokenSecurity::shown);
        authentication.setAuthenticationFailureHandler(new ServerAuthenticationEntryPointFailureHandler(refused));
        authentication.setAuthenticationSuccessHandler(known);
        return http.csrf(ServerHttpSecurity.CsrfSpec::disable)
                .httpBasic(ServerHttpSecurity.HttpBasicSpec::disable)
                .formLogin(ServerHttpSecurity.FormLoginSpec::disable)
                .logout(ServerHttpSecurity.LogoutSpec::disable)
                .requestCache(ServerHttpSecurity.RequestCacheSpec::disable)
                .headers(ServerHttpSecurity.HeaderSpec::disable) // each program has its own
                .addFilterAt(authentication, SecurityWebFiltersOrder.AUTHENTICATION)
                .exceptionHandling(exceptions -> exceptions.authenticationEntryPoint(refused));
    }

    private static ReactiveAuthenticationManager manager(Tokens tokens) {
        return shown -> shown instanceof BearerTokenAuthenticationToken bearer
                ? tokens.read(bearer.getToken())
                        .<Authentication>map(KnownAuthentication::new)
                        .onErrorMap(TokenRejected.class, RefusedAuthentication::new)
                : Mono.empty();
    }

    private static Mono<Authentication> shown(ServerWebExchange exchange) {
        try {
            String token = ShownToken.of(exchange.getRequest());
            return token == null ? Mono.empty() : Mono.just(new BearerTokenAuthenticationToken(token));
        } catch (TokenRejected refused) {
            return Mono.error(new RefusedAuthentication(refused));
        }
    }
}
