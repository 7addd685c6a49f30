package chat.kit.management.http;

import chat.kit.admission.SocketRoute;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.concurrent.atomic.LongAdder;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Limits the connections and responses of the public port. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(HttpSettings.class)
public class HttpConfiguration {

    /** Runs first, so that a program's own settings for its WebSockets take precedence. */
    @Bean
    @Order(Ordered.HIGHEST_PRECEDENCE)
    HttpConnections httpConnections(HttpSettings settings) {
        return new HttpConnections(settings);
    }

    @Bean
    BoundedResponses boundedResponses(ObjectProvider<SocketRoute> sockets) {
        return new BoundedResponses(sockets.getIfAvailable(SocketRoute::none));
    }

    @Bean
    MeterBinder httpConnectionMeters(HttpConnections httpConnections) {
        return registry -> {
            Gauge.builder("chat.http.connections", httpConnections, HttpConnections::count)
                    .register(registry);
            Gauge.builder("chat.http.in.flight", httpConnections, HttpConnections::bytes)
                    .baseUnit("bytes")
                    .register(registry);
            FunctionCounter.builder("chat.http.refused", httpConnections.refused, LongAdder::sum)
                    .register(registry);
            ended(registry, "stalled", httpConnections.stalled);
            ended(registry, "idle", httpConnections.idle);
            ended(registry, "full", httpConnections.full);
            ended(registry, "cut-off", httpConnections.cutOff);
        };
    }

    private static void ended(MeterRegistry registry, String cause, LongAdder count) {
        FunctionCounter.builder("chat.http.ended", count, LongAdder::sum)
                .tag("cause", cause)
                .register(registry);
    }
}
