package chat.kit.management;

import chat.kit.management.http.HttpConfiguration;
import chat.kit.management.logging.LoggingConfiguration;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.netty4.NettyAllocatorMetrics;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.nio.file.Path;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Adds metrics of Netty's memory to the management port, and the flight recording endpoint if {@code
 * management.endpoint.flightrecording.access} allows it.
 */
@Configuration(proxyBeanMethods = false)
@Import({LoggingConfiguration.class, HttpConfiguration.class})
public class ManagementConfiguration {

    @Bean
    @Order(Ordered.LOWEST_PRECEDENCE)
    UnknownHealthPaths unknownHealthPaths() {
        return new UnknownHealthPaths();
    }

    /** Netty's buffers are missing in the JVM's own buffer metrics, which do not change while connections fill up. */
    @Bean
    MeterBinder nettyMemory() {
        return ByteBufAllocator.DEFAULT instanceof ByteBufAllocatorMetricProvider allocator
                ? new NettyAllocatorMetrics(allocator)
                : registry -> {};
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnAvailableEndpoint(endpoint = FlightRecordingEndpoint.class)
    FlightRecorder flightRecorder() {
        return new FlightRecorder(Path.of(System.getProperty("java.io.tmpdir", ".")));
    }

    @Bean
    @ConditionalOnAvailableEndpoint
    FlightRecordingEndpoint flightRecordingEndpoint(FlightRecorder recorder) {
        return new FlightRecordingEndpoint(recorder);
    }
}
