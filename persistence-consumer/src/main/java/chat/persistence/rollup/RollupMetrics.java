package chat.persistence.rollup;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Clock;
import java.time.Duration;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/** Metrics of the roll-ups. */
final class RollupMetrics {
    private final MeterRegistry meters;
    private final Counter folded;
    private final Counter failures;
    private final Timer folds;
    private volatile @Nullable OffsetDateTime countedThrough;

    RollupMetrics(MeterRegistry meters, Clock clock) {
        this.meters = meters;
        folded = Counter.builder("persistence.rollup.messages")
                .description("Messages added to the roll-ups by this consumer")
                .register(meters);
        failures = Counter.builder("persistence.rollup.failures")
                .description("Failed folds and view refreshes; each is retried")
                .register(meters);
        folds = Timer.builder("persistence.rollup.fold")
                .description("Duration of a fold, which adds new messages to the roll-ups, from its lock to its commit")
                .publishPercentiles(0.5, 0.99)
                .register(meters);
        Gauge.builder("persistence.rollup.age", this, self -> self.ageSeconds(clock))
                .description("Time since the moment up to which all stored messages are counted")
                .baseUnit("seconds")
                .register(meters);
    }

    private double ageSeconds(Clock clock) {
        OffsetDateTime through = countedThrough;
        return through == null
                ? Double.NaN
                : Math.max(
                        0,
                        Duration.between(through.toInstant(), clock.instant()).toMillis() / 1000.0);
    }

    void folded(int messages, Duration took) {
        folded.increment(messages);
        if (messages > 0) folds.record(took);
    }

    void refreshed(String view, Duration took) {
        Timer.builder("persistence.rollup.refresh")
                .description("Duration of a refresh of a materialized view")
                .tag("view", view)
                .register(meters)
                .record(took);
    }

    void failed() {
        failures.increment();
    }

    void countedThrough(@Nullable OffsetDateTime moment) {
        countedThrough = moment;
    }
}
