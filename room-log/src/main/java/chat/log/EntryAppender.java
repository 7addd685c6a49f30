package chat.log;

import chat.log.LogUnavailable.Outcome;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Appends the entries of one partition to the log and reports their outcome. An entry that was read back counts as
 * confirmed, because brokers lose confirms when the leader of a stream fails. On the partition's loop only.
 */
final class EntryAppender {
    private final RoomLog log;
    private final int partition;
    private final Loop loop;
    private final LongSupplier nanoTime;
    private final LogCounters counters;
    /** By sequence, in the order of appending. */
    private final Map<Long, Attempt> unconfirmed = new LinkedHashMap<>();

    /** Attempts that were read back and that the log has neither confirmed nor failed; in the order of reading. */
    private final Set<Attempt> readUnconfirmed = new LinkedHashSet<>();

    /** @param append the stage that the log returned */
    private record Attempt(CompletionStage<Void> append, long begunNanos, Consumer<@Nullable Throwable> done) {}

    EntryAppender(RoomLog log, int partition, Loop loop, LongSupplier nanoTime, LogCounters counters) {
        this.log = log;
        this.partition = partition;
        this.loop = loop;
        this.nanoTime = nanoTime;
        this.counters = counters;
    }

    /**
     * @param sequence of the entry; an earlier attempt at the same entry must have been answered
     * @param done called on the loop: with null when the entry is confirmed, else with the failure
     */
    void append(long sequence, byte[] entry, Consumer<@Nullable Throwable> done) {
        long begunNanos = nanoTime.getAsLong();
        counters.unconfirmed.increment();
        counters.published.increment();
        CompletionStage<Void> append = log.append(partition, entry);
        Attempt attempt = new Attempt(append, begunNanos, done);
        unconfirmed.put(sequence, attempt);
        append.whenComplete((unused, failure) -> loop.execute(() -> {
            readUnconfirmed.remove(attempt);
            answered(sequence, attempt, cause(failure));
        }));
    }

    /** An entry of our own was read: it is in the log even if the confirm never arrives. */
    void readBack(long sequence) {
        Attempt attempt = unconfirmed.get(sequence);
        if (attempt == null) return;
        readUnconfirmed.add(attempt);
        log.readBack(attempt.append);
        answered(sequence, attempt, null);
    }

    /** When the first entry was appended that was read back but not answered; {@code none} if there is none. */
    long oldestReadUnconfirmedNanos(long none) {
        for (Attempt attempt : readUnconfirmed) return attempt.begunNanos;
        return none;
    }

    private void answered(long sequence, Attempt attempt, @Nullable Throwable failure) {
        if (!unconfirmed.remove(sequence, attempt)) return;
        counters.unconfirmed.decrement();
        if (failure == null) counters.watch.confirmed(nanoTime.getAsLong() - attempt.begunNanos);
        else if (isNotWritten(failure)) counters.returned.increment();
        attempt.done.accept(failure);
    }

    private static @Nullable Throwable cause(@Nullable Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** Whether the entry is certainly not in the log and will not appear there. */
    static boolean isNotWritten(Throwable failure) {
        return failure instanceof LogUnavailable unavailable && unavailable.outcome() == Outcome.NOT_WRITTEN;
    }

    /** Number of appended entries of any kind that are neither confirmed, failed nor read back. */
    int unconfirmed() {
        return unconfirmed.size();
    }
}
