package chat.profiling;

import java.nio.file.Path;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The endpoint, where {@code management.endpoint.flightrecording.access} lets anybody use it. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(FlightRecordingSettings.class)
public class FlightRecordingConfiguration {

    @Bean(destroyMethod = "close")
    @ConditionalOnAvailableEndpoint(endpoint = FlightRecordingEndpoint.class)
    FlightRecorder flightRecorder(FlightRecordingSettings settings) {
        return new FlightRecorder(settings, Path.of(System.getProperty("java.io.tmpdir", ".")));
    }

    @Bean
    @ConditionalOnAvailableEndpoint
    FlightRecordingEndpoint flightRecordingEndpoint(FlightRecorder recorder) {
        return new FlightRecordingEndpoint(recorder);
    }
}
