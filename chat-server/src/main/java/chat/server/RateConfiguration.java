package chat.server;

import chat.kit.admission.AddressRate;
import chat.kit.admission.ClientAddresses;
import chat.kit.admission.Networks;
import chat.kit.identity.token.IdentitySettings;
import chat.server.door.DoorConfiguration;
import chat.server.limit.UserLimits;
import chat.server.limit.UserSockets;
import chat.server.rate.AddressRule;
import chat.server.rate.Bound;
import chat.server.rate.JoinRates;
import chat.server.rate.RateCounters;
import chat.server.rate.RateSettings;
import chat.server.rate.Rates;
import chat.server.rate.WaitWatch;
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

/** How fast clients may come in and speak, by the meters that docs/guide/operations.md explains. */
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
    Rates rates(ChatServerProperties properties, RateCounters counters, WaitWatch waits, UserLimits limits) {
        JoinRates joins = JoinRates.of(limits, properties.intake().maxRooms());
        return new Rates(properties.rate(), joins, TimeMeter.SYSTEM_NANOTIME, counters, waits);
    }

    /** In open mode a client may use any name, so a bound per user would bound no client. */
    @Bean
    UserLimits userLimits(ChatServerProperties properties, IdentitySettings identity) {
        return identity.isOpen() ? UserLimits.NONE : properties.userLimits();
    }

    @Bean
    UserSockets userSockets(ChatServerProperties properties, UserLimits limits) {
        return new UserSockets(limits.sockets(), properties.guard().retryAfter());
    }

    @Bean
    @Order(DoorConfiguration.RATES)
    AddressRule addressRule(ChatServerProperties properties) {
        RateSettings settings = properties.rate();
        return settings.address().isLimited()
                ? new AddressRule(new AddressRate(settings.address(), settings.maxKeys(), TimeMeter.SYSTEM_NANOTIME))
                : AddressRule.NONE;
    }

    @Bean
    WaitWatch rateWaits(MeterRegistry registry) {
        Map<Bound, Timer> timers = new EnumMap<>(Bound.class);
        for (Bound bound : Bound.values())
            timers.put(
                    bound,
                    Timer.builder("chat.rate.wait")
                            .tag(BUCKET, bound.tag())
                            .publishPercentileHistogram()
                            .minimumExpectedValue(SHORTEST_WAIT)
                            .maximumExpectedValue(LONGEST_WAIT)
                            .register(registry));
        return (bound, nanos) -> {
            Timer timer = timers.get(bound);
            if (timer != null) timer.record(nanos, TimeUnit.NANOSECONDS);
        };
    }

    @Bean
    MeterBinder rateMeters(RateCounters counters, Rates rates, AddressRule addresses) {
        return registry -> {
            for (Bound bound : Bound.values()) {
                RateCounters.Of of = counters.of(bound);
                counter(registry, "chat.rate.admitted", of.admitted, LongAdder::sum, bound.tag());
                counter(registry, "chat.rate.given.back", of.givenBack, LongAdder::sum, bound.tag());
                counter(registry, "chat.rate.refused", of.refused, LongAdder::sum, bound.tag());
                counter(registry, "chat.rate.abandoned", of.abandoned, LongAdder::sum, bound.tag());
                gauge(registry, "chat.rate.waiting", of.waiting, LongAdder::sum, bound.tag());
            }
            counter(registry, "chat.rate.admitted", addresses, AddressRule::admitted, ADDRESS);
            counter(registry, "chat.rate.refused", addresses, AddressRule::refused, ADDRESS);
            gauge(registry, "chat.rate.keys", rates, Rates::users, Bound.USER.tag());
            gauge(registry, "chat.rate.keys", rates, Rates::joiningUsers, Bound.USER_JOINS.tag());
            gauge(registry, "chat.rate.keys", addresses, AddressRule::keys, ADDRESS);
            counter(registry, "chat.rate.keys.evicted", rates, Rates::usersEvicted, Bound.USER.tag());
            counter(registry, "chat.rate.keys.evicted", rates, Rates::joiningUsersEvicted, Bound.USER_JOINS.tag());
            counter(registry, "chat.rate.keys.evicted", addresses, AddressRule::evicted, ADDRESS);
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
