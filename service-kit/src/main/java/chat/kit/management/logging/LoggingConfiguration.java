package chat.kit.management.logging;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import io.github.bucket4j.TimeMeter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.Iterator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Adds the filter for repeated lines to the appenders that Spring Boot has configured. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(RepeatedLinesSettings.class)
public class LoggingConfiguration {
    /** Distinct lines that are counted, more than the programs have; further ones start without a burst. */
    private static final int MAX_LINES = 1000;

    /** Interval of the summary of omitted lines: soon enough for a person who reads the log. */
    private static final Duration REPORT = Duration.ofSeconds(10);

    @Bean
    RepeatedLines repeatedLines(RepeatedLinesSettings settings) {
        return new RepeatedLines(settings.rate(), MAX_LINES, TimeMeter.SYSTEM_NANOTIME);
    }

    @Bean(destroyMethod = "stop")
    RepeatedLineFilter repeatedLineFilter(RepeatedLines lines) {
        RepeatedLineFilter filter = new RepeatedLineFilter(lines, RepeatedLineReport.logger.getName());
        filter.start();
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext logback) {
            Iterator<Appender<ILoggingEvent>> appenders =
                    logback.getLogger(Logger.ROOT_LOGGER_NAME).iteratorForAppenders();
            while (appenders.hasNext()) appenders.next().addFilter(filter);
        }
        return filter;
    }

    @Bean(destroyMethod = "close")
    RepeatedLineReport repeatedLineReport(RepeatedLines lines) {
        return new RepeatedLineReport(lines, REPORT);
    }

    @Bean
    MeterBinder repeatedLineMeters(RepeatedLines lines) {
        return registry -> FunctionCounter.builder("chat.logging.left.out", lines, RepeatedLines::total)
                .register(registry);
    }
}
