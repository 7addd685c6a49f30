package chat.server;

import chat.kit.admission.AddressRate;
import chat.kit.admission.ClientAddresses;
import chat.kit.admission.Networks;
import chat.kit.identity.token.IdentitySettings;
import chat.server.admission.AddressRateRule;
import chat.server.admission.AdmissionConfiguration;
import chat.server.admission.JoinRates;
import chat.server.admission.RateCounters;
import chat.server.admission.RateScope;
import chat.server.admission.RateSettings;
import chat.server.admission.Rates;
import chat.server.admission.Rejection;
import chat.server.admission.UserLimits;
import chat.server.admission.UserSockets;
import chat.server.admission.WaitListener;
import chat.server.intake.IntakeSettings;
import io.github.bucket4j.TimeMeter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/** Wires the rate limits and the limits of each user, with the meters that docs/reference/metrics.md lists. */
@Configuration(proxyBeanMethods = false)
class RateConfiguration {
    private static final String BUCKET = "bucket";
    private static final String ADDRESS = "address";
    private static final Duration SHORTEST_WAIT = Duration.ofMillis(1);
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

    @Bean
    ClientAddresses clientAddresses(ChatServerProperties properties) {
        return new ClientAddresses(Networks.of(properties.trustedProxies()));
    }

    @Bean
    RateCounters rateCounters() {
        return new RateCounters();
    }

    @Bean
    Rates rates(
            RateSettings settings,
            IntakeSettings intake,
            RateCounters counters,
            WaitListener waits,
            UserLimits limits) {
        JoinRates joins = JoinRates.of(limits, intake.maxRooms());
        return new Rates(settings, joins, TimeMeter.SYSTEM_NANOTIME, counters, waits);
    }

    /** In open mode a client may use any name, so a limit per user would limit no client. */
    @Bean
    UserLimits userLimits(ChatServerProperties properties, IdentitySettings identity) {
        return identity.isOpen() ? UserLimits.NONE : properties.userLimits();
    }

    @Bean
    UserSockets userSockets(UserLimits limits) {
        return new UserSockets(limits.sockets(), Rejection.RETRY_AFTER);
    }

    @Bean
    @Order(AdmissionConfiguration.RATES)
    AddressRateRule addressRule(RateSettings settings) {
        return settings.address().isLimited()
                ? new AddressRateRule(
                        new AddressRate(settings.address(), settings.maxKeys(), TimeMeter.SYSTEM_NANOTIME))
                : AddressRateRule.NONE;
    }

    @Bean
    WaitListener rateWaits(MeterRegistry registry) {
        Map<RateScope, Timer> timers = new EnumMap<>(RateScope.class);
        for (RateScope scope : RateScope.values())
            timers.put(
                    scope,
                    Timer.builder("chat.rate.wait")
                            .tag(BUCKET, scope.tag())
                            .publishPercentileHistogram()
                            .minimumExpectedValue(SHORTEST_WAIT)
                            .maximumExpectedValue(LONGEST_WAIT)
                            .register(registry));
        return (scope, nanos) -> {
            Timer timer = timers.get(scope);
            if (timer != null) timer.record(nanos, TimeUnit.NANOSECONDS);
        };
    }

    @Bean
    MeterBinder rateMeters(RateCounters counters, Rates rates, AddressRateRule addresses) {
        return registry -> {
            for (RateScope scope : RateScope.values()) {
                RateCounters.Of of = counters.of(scope);
                counter(registry, "chat.rate.admitted", of.admitted, LongAdder::sum, scope.tag());
                counter(registry, "chat.rate.given.back", of.givenBack, LongAdder::sum, scope.tag());
                counter(registry, "chat.rate.refused", of.rejected, LongAdder::sum, scope.tag());
                counter(registry, "chat.rate.abandoned", of.abandoned, LongAdder::sum, scope.tag());
                gauge(registry, "chat.rate.waiting", of.waiting, LongAdder::sum, scope.tag());
            }
            counter(registry, "chat.rate.admitted", addresses, AddressRateRule::admitted, ADDRESS);
            counter(registry, "chat.rate.refused", addresses, AddressRateRule::rejected, ADDRESS);
            gauge(registry, "chat.rate.keys", rates, Rates::users, RateScope.USER.tag());
            gauge(registry, "chat.rate.keys", rates, Rates::joiningUsers, RateScope.USER_JOINS.tag());
            gauge(registry, "chat.rate.keys", addresses, AddressRateRule::keys, ADDRESS);
            counter(registry, "chat.rate.keys.evicted", rates, Rates::usersEvicted, RateScope.USER.tag());
            counter(registry, "chat.rate.keys.evicted", rates, Rates::joiningUsersEvicted, RateScope.USER_JOINS.tag());
            counter(registry, "chat.rate.keys.evicted", addresses, AddressRateRule::evicted, ADDRESS);
        };
    }

    private static <T> void counter(
            MeterRegistry registry, String name, T of, ToDoubleFunction<T> count, String bucket) {
        FunctionCounter.builder(name, of, count).tag(BUCKET, bucket).register(registry);
    }

    private static <T> void gauge(MeterRegistry registry, String name, T of, ToDoubleFunction<T> value, String bucket) {
        Gauge.builder(name, of, value).tag(BUCKET, bucket).register(registry);
    }
}
