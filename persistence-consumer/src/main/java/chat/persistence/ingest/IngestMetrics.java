package chat.persistence.ingest;

import chat.log.LogCounters;
import chat.persistence.batch.Batch;
import chat.persistence.batch.BatchStore.Outcome;
import chat.persistence.ingest.PartitionStatus.State;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Metrics of the ingest. Messages read = stored + duplicates + dead letters + waiting; if another consumer fences off
 * a batch, that consumer counts it.
 */
final class IngestMetrics {
    private final MeterRegistry meters;
    private final DistributionSummary batchSize;
    private final Timer write;
    private final Counter stored;
    private final Counter duplicates;
    private final Counter deadLetters;
    private final Counter swallowed;
    private final Counter renamed;
    private final Counter gaps;
    private final Counter retries;
    private final Counter fenced;
    private final Counter notifications;
    private final Counter failedNotifications;
    private final Map<Batch.Cause, Counter> flushes;

    IngestMetrics(MeterRegistry meters, LogCounters log) {
        this.meters = meters;
        batchSize = DistributionSummary.builder("persistence.batch.size")
                .description("Messages per stored batch")
                .baseUnit("messages")
                .register(meters);
        write = Timer.builder("persistence.batch.write")
                .description("Duration of the write that stored a batch, including the wait for a writer's slot;"
                        + " failed attempts are not included")
                .publishPercentiles(0.5, 0.95, 0.99, 0.999)
                .register(meters);
        stored = counter("persistence.stored", "Messages stored as rows");
        duplicates = counter("persistence.duplicates", "Messages that were stored already");
        deadLetters = counter("persistence.dead.letters", "Messages and log entries that could not be stored as rows");
        swallowed = counter(
                "persistence.swallowed",
                "Messages in dead_letter because a trigger or rule of the database dropped their rows");
        renamed = counter(
                "persistence.renamed",
                "Messages stored under a derived id because their sender had used the id for another message");
        gaps = counter("persistence.gaps", "Ranges of the log that were removed before this consumer read them");
        retries = counter("persistence.retries", "Failed attempts to read or write PostgreSQL; each is retried");
        fenced = counter(
                "persistence.fenced", "Batches discarded because another consumer had moved the stored position");
        notifications = notifications("written");
        failedNotifications = notifications("failed");
        flushes = Arrays.stream(Batch.Cause.values())
                .filter(cause -> cause != Batch.Cause.REPLAY)
                .collect(Collectors.toMap(cause -> cause, this::flushes));
        adder(
                "persistence.log.repeated",
                "Log entries dropped because they were copies of entries already read",
                log.repeated);
        adder("persistence.log.stale", "Log entries dropped because they were written for another epoch", log.stale);
        adder("persistence.log.malformed", "Log entries that could not be decoded", log.malformed);
        adder("persistence.log.later", "Log entries of kinds that only later versions know", log.later);
        adder(
                "persistence.log.runs.forgotten",
                "Server incarnations evicted from the detection of copied entries",
                log.runsForgotten);
        adder(
                "persistence.log.resubscribed",
                "Times that a reader subscribed again because it had received nothing",
                log.resubscribed);
    }

    private Counter flushes(Batch.Cause cause) {
        return Counter.builder("persistence.flushes")
                .description("Stored batches, by the reason why each was closed")
                .tag("cause", cause.name().toLowerCase(Locale.ROOT))
                .register(meters);
    }

    private Counter notifications(String outcome) {
        return Counter.builder("persistence.announcements")
                .description(
                        "Notifications of the stored position appended to the log, by whether the log confirmed them")
                .tag("outcome", outcome)
                .register(meters);
    }

    private Counter counter(String name, String description) {
        return Counter.builder(name).description(description).register(meters);
    }

    private void adder(String name, String description, LongAdder adder) {
        FunctionCounter.builder(name, adder, LongAdder::sum)
                .description(description)
                .register(meters);
    }

    void lag(int partition, DoubleSupplier seconds) {
        Gauge.builder("persistence.lag", seconds, DoubleSupplier::getAsDouble)
                .description(
                        "Time since the intake of the oldest message that was read and is not stored; 0 if all are stored")
                .baseUnit("seconds")
                .tag("partition", Integer.toString(partition))
                .strongReference(true)
                .register(meters);
    }

    void waiting(int partition, DoubleSupplier messages) {
        Gauge.builder("persistence.waiting", messages, DoubleSupplier::getAsDouble)
                .description("Messages that were read and are not stored")
                .baseUnit("messages")
                .tag("partition", Integer.toString(partition))
                .strongReference(true)
                .register(meters);
    }

    void state(int partition, Supplier<State> state) {
        for (State each : State.values())
            Gauge.builder("persistence.partition.state", () -> state.get() == each ? 1 : 0)
                    .description("1 for the current state of the partition in this consumer, 0 for all others")
                    .tag("partition", Integer.toString(partition))
                    .tag("state", each.name())
                    .strongReference(true)
                    .register(meters);
    }

    void written(Batch batch, Outcome.Stored outcome, Duration took) {
        Objects.requireNonNull(flushes.get(batch.cause())).increment();
        if (batch.messages() > 0) {
            batchSize.record(batch.messages());
            write.record(took);
        }
        stored.increment(outcome.stored());
        duplicates.increment(outcome.duplicates());
        deadLetters.increment(outcome.deadLetters());
        swallowed.increment(outcome.swallowed());
        renamed.increment(outcome.renamed());
        gaps.increment(batch.gaps().size());
    }

    void notificationAppended(boolean confirmed) {
        (confirmed ? notifications : failedNotifications).increment();
    }

    void retried() {
        retries.increment();
    }

    void fenced() {
        fenced.increment();
    }
}
