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
    private final Counter announced;
    private final Counter unannounced;
    private final Map<Batch.Cause, Counter> flushes;

    IngestMetrics(MeterRegistry meters, LogCounters log) {
        this.meters = meters;
        batchSize = DistributionSummary.builder("persistence.batch.size")
                .description("Messages in a batch; sum / count is the mean")
                .baseUnit("messages")
                .register(meters);
        write = Timer.builder("persistence.batch.write")
                .description(
                        "From a batch's closing to its commit, including the wait for a writer, without failed attempts")
                .publishPercentiles(0.5, 0.95, 0.99, 0.999)
                .register(meters);
        stored = counter("persistence.stored", "Messages that became rows");
        duplicates = counter("persistence.duplicates", "Messages that were stored already");
        deadLetters = counter("persistence.dead.letters", "Messages and entries that could not become rows");
        swallowed = counter(
                "persistence.swallowed",
                "Dead letters that the database neither stored nor rejected: a trigger or rule dropped them");
        renamed = counter(
                "persistence.renamed",
                "Rows under a derived id, as their sender had used their own before for another message");
        gaps = counter("persistence.gaps", "Ranges of the log that were gone before they were read");
        retries = counter("persistence.retries", "Attempts that failed and are made again");
        fenced = counter("persistence.fenced", "Batches discarded because another consumer had moved the position");
        announced = announcements("written");
        unannounced = announcements("failed");
        flushes = Arrays.stream(Batch.Cause.values())
                .filter(cause -> cause != Batch.Cause.REPLAY)
                .collect(Collectors.toMap(cause -> cause, this::flushes));
        adder("persistence.log.repeated", "Copies of entries that were dropped", log.repeated);
        adder("persistence.log.stale", "Entries written for another log that were dropped", log.stale);
        adder("persistence.log.malformed", "Entries that could not be read", log.malformed);
        adder("persistence.log.later", "Entries of kinds that only later versions know", log.later);
        adder(
                "persistence.log.runs.forgotten",
                "Server incarnations dropped from the deduplication window",
                log.runsForgotten);
        adder(
                "persistence.log.resubscribed",
                "Readers that resubscribed after receiving nothing for too long",
                log.resubscribed);
    }

    private Counter flushes(Batch.Cause cause) {
        return Counter.builder("persistence.flushes")
                .description("Batches by what closed them")
                .tag("cause", cause.name().toLowerCase(Locale.ROOT))
                .register(meters);
    }

    private Counter announcements(String outcome) {
        return Counter.builder("persistence.announcements")
                .description("Entries that notify chat servers how far a partition is stored")
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
                .description("Since the intake of the oldest message that was read and is not stored; 0: all are")
                .baseUnit("seconds")
                .tag("partition", Integer.toString(partition))
                .strongReference(true)
                .register(meters);
    }

    void waiting(int partition, DoubleSupplier messages) {
        Gauge.builder("persistence.waiting", messages, DoubleSupplier::getAsDouble)
                .description("Messages that were read and are not stored; the log keeps those that come after them")
                .baseUnit("messages")
                .tag("partition", Integer.toString(partition))
                .strongReference(true)
                .register(meters);
    }

    void state(int partition, Supplier<State> state) {
        for (State each : State.values())
            Gauge.builder("persistence.partition.state", () -> state.get() == each ? 1 : 0)
                    .description("1 for what this consumer does with the partition now")
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

    void announced(boolean written) {
        (written ? announced : unannounced).increment();
    }

    void retried() {
        retries.increment();
    }

    void fenced() {
        fenced.increment();
    }
}
