package chat.server;

import chat.server.admission.AdmissionConfiguration;
import chat.server.admission.ConnectionLimit;
import chat.server.admission.OverloadGuard;
import chat.server.admission.OverloadWatch;
import chat.server.admission.Resource;
import chat.server.session.Sessions;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.http.client.ReactorResourceFactory;

/** Wires the overload guard: measurement, handshake rule, health and metrics. */
@Configuration(proxyBeanMethods = false)
class OverloadConfiguration {
    private static final Duration SHORTEST_DELAY = Duration.ofNanos(100_000);
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(10);

    @Bean(destroyMethod = "close")
    OverloadWatch guardWatch(
            ChatServerProperties properties, ReactorResourceFactory resources, MeterRegistry registry) {
        List<EventExecutor> loops = new ArrayList<>();
        resources.getLoopResources().onServer(true).forEach(loops::add);
        Timer delay = Timer.builder("chat.event.loop.delay")
                .publishPercentileHistogram()
                .minimumExpectedValue(SHORTEST_DELAY)
                .maximumExpectedValue(LONGEST_DELAY)
                .register(registry);
        return new OverloadWatch(properties.guard(), loops, nanos -> delay.record(Duration.ofNanos(nanos))).start();
    }

    @Bean
    @Order(AdmissionConfiguration.OVERLOAD)
    OverloadGuard resourceGuard(OverloadWatch watch) {
        return watch.guard();
    }

    /** Readiness, not liveness: a server that rejects new sockets still serves its members. */
    @Bean
    HealthIndicator capacityHealthIndicator(OverloadGuard guard, ConnectionLimit limit, Sessions sessions) {
        return () -> {
            boolean takes = !guard.isRejecting() && !limit.isFull() && !sessions.isStopping();
            Health.Builder health = takes ? Health.up() : Health.outOfService();
            return health.withDetail("current", limit.current())
                    .withDetail("max", limit.max())
                    .withDetail("shortOf", guard.shortOf())
                    .build();
        };
    }

    @Bean
    MeterBinder guardMeters(OverloadGuard guard) {
        return registry -> {
            Gauge.builder("chat.guard.refusing", guard, of -> of.isRejecting() ? 1 : 0)
                    .register(registry);
            for (Resource resource : guard.watched()) {
                Gauge.builder("chat.guard.short", guard, of -> of.isShortOf(resource) ? 1 : 0)
                        .tag("resource", resource.reason())
                        .register(registry);
                Gauge.builder("chat.guard.reading", guard, of -> of.reading(resource))
                        .tag("resource", resource.reason())
                        .register(registry);
            }
        };
    }
}
