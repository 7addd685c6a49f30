package chat.kit.identity.token;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Clock;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Creates the {@link Tokens} of a program if {@code chat.identity.*} requires tokens. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(IdentitySettings.class)
public class IdentityConfiguration {
    /** The setting that decides whether there are {@link Tokens}. */
    public static final String MODE = "chat.identity.mode";

    public static final String TOKEN = "token";

    @Bean
    @ConditionalOnProperty(name = MODE, havingValue = TOKEN)
    Tokens tokens(IdentitySettings settings) {
        try {
            return Tokens.by(settings, Clock.systemUTC());
        } catch (IllegalArgumentException wrong) {
            throw new InvalidConfigurationPropertyValueException(
                    "chat.identity.public-key", settings.publicKey(), String.valueOf(wrong.getMessage()));
        }
    }

    @Bean
    @ConditionalOnProperty(name = MODE, havingValue = TOKEN)
    MeterBinder issuerKeyMeters(Tokens tokens) {
        return registry -> {
            PublishedKeys keys = tokens.published();
            if (keys == null) return;
            TimeGauge.builder("identity.keys.age", keys, TimeUnit.SECONDS, PublishedKeys::ageSeconds)
                    .register(registry);
            FunctionCounter.builder("identity.keys.failures", keys, PublishedKeys::failures)
                    .register(registry);
        };
    }
}
