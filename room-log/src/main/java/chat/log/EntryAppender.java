package chat.log;

import chat.log.LogUnavailable.Outcome;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Hands entries of one partition to the log and brings back what became of them. On the partition's loop only. */
final class EntryAppender {
    private final RoomLog log;
    private final int partition;
    private final Loop loop;
    private final LongSupplier nanoTime;
    private final LogCounters counters;
    private int unconfirmed;

    EntryAppender(RoomLog log, int partition, Loop loop, LongSupplier nanoTime, LogCounters counters) {
        this.log = log;
        this.partition = partition;
        this.loop = loop;
        this.nanoTime = nanoTime;
        this.counters = counters;
    }

    /** @param done on the loop: null when the entry is confirmed, else why it failed */
    void append(byte[] entry, Consumer<@Nullable Throwable> done) {
        unconfirmed++;
        counters.unconfirmed.increment();
        counters.published.increment();
        long begun = nanoTime.getAsLong();
        log.append(partition, entry)
                .whenComplete((unused, failure) -> loop.execute(() -> {
                    unconfirmed--;
                    counters.unconfirmed.decrement();
                    Throwable cause = cause(failure);
                    if (cause == null) counters.watch.confirmed(nanoTime.getAsLong() - begun);
                    else if (isNotWritten(cause)) counters.returned.increment();
                    done.accept(cause);
                }));
    }

    private static @Nullable Throwable cause(@Nullable Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** Whether the entry is not in the log and will not come. */
    static boolean isNotWritten(Throwable failure) {
        return failure instanceof LogUnavailable unavailable && unavailable.outcome() == Outcome.NOT_WRITTEN;
    }

    /** Entries of any kind that were handed to the log and neither confirmed nor failed. */
    int unconfirmed() {
        return unconfirmed;
    }
}
