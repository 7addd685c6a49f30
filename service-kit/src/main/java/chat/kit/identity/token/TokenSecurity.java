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
 * What both programs want of Spring Security: bearer tokens and nothing else. There are no cookies, sessions or forms, so
 * there is nothing that another site's page could have a browser send along: protection against that (CSRF) is off.
 */
public final class TokenSecurity {
    /** What {@code WWW-Authenticate} says to those who have shown no token. */
    public static final String CHALLENGE = "Bearer realm=\"confab\"";

    private TokenSecurity() {}

    /**
     * @param refused answers whoever has no good token
     * @param known goes on with whoever has one
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
