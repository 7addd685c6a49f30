package chat.server;

import chat.log.EntryListener;
import chat.log.LogCounters;
import chat.log.RoomLog;
import chat.log.breaker.LogBreaker;
import chat.server.room.Rooms;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Registers the metrics of the log: its state, its breaker and the times of entries. */
@Configuration(proxyBeanMethods = false)
class LogMetricsConfiguration {

    @Bean
    EntryListener entryWatch(MeterRegistry registry) {
        return new EntryMeters(registry);
    }

    @Bean
    MeterBinder logMeters(LogCounters log, Rooms rooms, ObjectProvider<LogBreaker> breaker) {
        return registry -> {
            Gauge.builder("chat.log.entries.unconfirmed", log.unconfirmed, unconfirmed -> unconfirmed.sum())
                    .register(registry);
            FunctionCounter.builder("chat.log.entries.overtaken", log.overtaken, overtaken -> overtaken.sum())
                    .register(registry);
            for (RoomLog.State state : RoomLog.State.values())
                Gauge.builder("chat.log.state", rooms, of -> of.logState() == state ? 1 : 0)
                        .tag("state", state.name())
                        .register(registry);
            for (int i = 0; i < rooms.partitions(); i++) {
                int partition = i;
                Gauge.builder("chat.log.read.lag", rooms, of -> of.readLagSeconds(partition))
                        .tag("partition", Integer.toString(partition))
                        .baseUnit("seconds")
                        .register(registry);
            }
            breaker.ifAvailable(one -> bind(registry, one));
        };
    }

    private static void bind(MeterRegistry registry, LogBreaker breaker) {
        for (LogBreaker.State state : LogBreaker.State.values())
            Gauge.builder("chat.log.breaker", breaker, of -> of.state() == state ? 1 : 0)
                    .tag("state", state.name())
                    .register(registry);
        FunctionCounter.builder("chat.log.breaker.opened", breaker, LogBreaker::opened)
                .register(registry);
        FunctionCounter.builder("chat.log.breaker.failures", breaker, LogBreaker::failures)
                .register(registry);
        FunctionCounter.builder("chat.log.breaker.not.permitted", breaker, LogBreaker::notPermitted)
                .register(registry);
    }

    /** Once per entry, which has many messages under load. */
    private static final class EntryMeters implements EntryListener {
        private static final Duration SHORTEST = Duration.ofMillis(1);
        private static final Duration LONGEST = Duration.ofSeconds(30);

        private final Timer confirm;
        private final Timer readBack;
        private final DistributionSummary messages;
        private final DistributionSummary bytes;

        EntryMeters(MeterRegistry registry) {
            this.confirm = timer("chat.log.confirm").register(registry);
            this.readBack = timer("chat.log.read.back").register(registry);
            this.messages =
                    DistributionSummary.builder("chat.log.entry.messages").register(registry);
            this.bytes = DistributionSummary.builder("chat.log.entry.size")
                    .baseUnit("bytes")
                    .register(registry);
        }

        private static Timer.Builder timer(String name) {
            return Timer.builder(name)
                    .publishPercentileHistogram()
                    .minimumExpectedValue(SHORTEST)
                    .maximumExpectedValue(LONGEST);
        }

        @Override
        public void published(int messages, int bytes) {
            this.messages.record(messages);
            this.bytes.record(bytes);
        }

        @Override
        public void confirmed(long nanos) {
            confirm.record(Duration.ofNanos(nanos));
        }

        @Override
        public void readBack(long nanos) {
            readBack.record(Duration.ofNanos(nanos));
        }
    }
}
