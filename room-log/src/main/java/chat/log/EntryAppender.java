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
 * Hands entries of one partition to the log and brings back what became of them. What has been read back counts as
 * confirmed: brokers lose confirms when the node fails that leads a stream. On the partition's loop only.
 */
final class EntryAppender {
    private final RoomLog log;
    private final int partition;
    private final Loop loop;
    private final LongSupplier nanoTime;
    private final LogCounters counters;
    /** By sequence, in the order in which they were handed to the log. */
    private final Map<Long, Attempt> unconfirmed = new LinkedHashMap<>();

    /** Of those that were read back, what the log has not answered; in the order of reading. */
    private final Set<Attempt> readUnconfirmed = new LinkedHashSet<>();

    /** @param append what the log gave for it */
    private record Attempt(CompletionStage<Void> append, long begunNanos, Consumer<@Nullable Throwable> done) {}

    EntryAppender(RoomLog log, int partition, Loop loop, LongSupplier nanoTime, LogCounters counters) {
        this.log = log;
        this.partition = partition;
        this.loop = loop;
        this.nanoTime = nanoTime;
        this.counters = counters;
    }

    /**
     * @param sequence of the entry: an earlier attempt at the same one must have been answered
     * @param done on the loop: null when the entry is confirmed, else why it failed
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

    /** An entry of ours has been read: it is in the log, whether or not that is ever confirmed. */
    void readBack(long sequence) {
        Attempt attempt = unconfirmed.get(sequence);
        if (attempt == null) return;
        readUnconfirmed.add(attempt);
        log.readBack(attempt.append);
        answered(sequence, attempt, null);
    }

    /** When the first entry was handed to the log that was read back and is still not answered; {@code none}: no such. */
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

    /** Whether the entry is not in the log and will not come. */
    static boolean isNotWritten(Throwable failure) {
        return failure instanceof LogUnavailable unavailable && unavailable.outcome() == Outcome.NOT_WRITTEN;
    }

    /** Entries of any kind that were handed to the log, neither confirmed nor failed, and not read back. */
    int unconfirmed() {
        return unconfirmed.size();
    }
}
