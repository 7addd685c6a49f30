package chat.persistence.access;

import chat.kit.identity.Role;
import chat.kit.identity.token.IdentityConfiguration;
import chat.kit.identity.token.IdentitySettings;
import chat.kit.identity.token.RefusedAuthentication;
import chat.kit.identity.token.TokenRejected.Reason;
import chat.kit.identity.token.TokenSecurity;
import chat.kit.identity.token.Tokens;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.security.config.annotation.web.reactive.EnableWebFluxSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.ServerAuthenticationEntryPoint;
import org.springframework.security.web.server.authentication.WebFilterChainServerAuthenticationSuccessHandler;
import org.springframework.security.web.server.firewall.ServerWebExchangeFirewall;
import org.springframework.security.web.server.firewall.StrictServerWebExchangeFirewall;
import org.springframework.security.web.server.util.matcher.ServerWebExchangeMatchers;

/** Authenticates REST callers: an open consumer accepts everyone, any other requires a token. */
@Configuration(proxyBeanMethods = false)
@Import({IdentityConfiguration.class, AccessConfiguration.WithTokens.class})
public class AccessConfiguration {
    private static final String REST = "/api/**";
    private static final String ROLLUP_CHECK = "/actuator/rollupcheck/**";

    @Bean
    Callers callers(IdentitySettings settings) {
        return new Callers(settings.isOpen());
    }

    /**
     * Anyone who reaches them may read health, the OpenAPI document and, on their own port, metrics. {@link Callers}
     * authorizes callers at each other route.
     */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(name = IdentityConfiguration.MODE, havingValue = IdentityConfiguration.TOKEN)
    @EnableWebFluxSecurity
    static class WithTokens {
        @Bean
        SecurityWebFilterChain restSecurity(
                ServerHttpSecurity http, Tokens tokens, ObjectProvider<MeterRegistry> meters) {
            return TokenSecurity.bearerOnly(
                            http,
                            tokens,
                            refused(meters.getIfAvailable(SimpleMeterRegistry::new)),
                            new WebFilterChainServerAuthenticationSuccessHandler())
                    .securityMatcher(ServerWebExchangeMatchers.pathMatchers(REST, ROLLUP_CHECK))
                    .authorizeExchange(exchanges -> exchanges
                            .pathMatchers(ROLLUP_CHECK)
                            .hasAuthority(Role.OPERATOR.name())
                            .anyExchange()
                            .authenticated())
                    .exceptionHandling(exceptions -> exceptions.accessDeniedHandler(
                            (exchange, denied) -> AccessProblem.write(exchange.getResponse(), HttpStatus.FORBIDDEN)))
                    .build();
        }

        /** User ids in paths may hold any printable character; {@link Callers} compares them decoded. */
        @Bean
        ServerWebExchangeFirewall pathsWithUserIds() {
            StrictServerWebExchangeFirewall firewall = new StrictServerWebExchangeFirewall();
            firewall.setAllowUrlEncodedSlash(true);
            firewall.setAllowUrlEncodedDoubleSlash(true);
            firewall.setAllowUrlEncodedPercent(true);
            firewall.setAllowUrlEncodedPeriod(true);
            firewall.setAllowBackSlash(true);
            firewall.setAllowSemicolon(true);
            return firewall;
        }

        private static ServerAuthenticationEntryPoint refused(MeterRegistry meters) {
            for (Reason reason : Reason.values()) {
                Counter unused = counter(meters, reason);
            }
            return (exchange, failure) -> {
                Reason reason = RefusedAuthentication.reason(failure);
                counter(meters, reason).increment();
                return AccessProblem.write(
                        exchange.getResponse(),
                        reason.status(),
                        reason.status() == HttpStatus.UNAUTHORIZED ? RefusedAuthentication.detail(failure) : null);
            };
        }

        private static Counter counter(MeterRegistry meters, Reason reason) {
            return Counter.builder("persistence.refused")
                    .description("Requests rejected because of their token, by reason")
                    .tag("reason", "token-" + reason.word())
                    .register(meters);
        }
    }
}
