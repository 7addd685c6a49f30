package chat.persistence.ingest;

import chat.log.NotStored;
import chat.log.StoredThrough;
import chat.persistence.batch.Backoff;
import chat.persistence.batch.Batch;
import chat.persistence.batch.BatchStore;
import chat.persistence.batch.BatchStore.Outcome;
import chat.persistence.batch.Mark;
import chat.persistence.batch.StoreUnavailable;
import chat.persistence.batch.StoredMark;
import chat.persistence.batch.UnstoredMessage;
import chat.protocol.RoomId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Writes the batches of one partition and keeps its stored position, on which each write depends. Retries a write while
 * the database is unavailable. Confined to the partition's thread, which it blocks.
 */
final class PartitionStore {
    private final BatchStore store;
    private final int partition;
    private final DatabaseState database;
    private final StopSignal stop;
    private final IngestMetrics metrics;
    private final Backoff backoff;
    /** Null if nothing is stored. */
    private @Nullable Mark stored;

    PartitionStore(
            BatchStore store,
            int partition,
            Backoff.Settings retry,
            DatabaseState database,
            StopSignal stop,
            IngestMetrics metrics) {
        this.store = store;
        this.partition = partition;
        this.database = database;
        this.stop = stop;
        this.metrics = metrics;
        this.backoff = new Backoff(retry, () -> ThreadLocalRandom.current().nextDouble());
    }

    /**
     * State of the partition in the database.
     *
     * @param position null if nothing is stored
     * @param notStored the last messages that could not become rows, ascending
     */
    record Loaded(@Nullable StoredMark position, List<NotStored> notStored) {}

    /** Result of writing a batch. */
    sealed interface Result {
        /**
         * The batch is stored.
         *
         * @param began when the attempt that committed it began, as {@link System#nanoTime}
         * @param deadLetters messages and entries that could not become rows
         * @param notStored messages after the previous position that could not become rows, ascending
         */
        record Stored(long began, int deadLetters, List<NotStored> notStored) implements Result {}

        /** Nothing was written: another consumer has moved the position. */
        record Fenced() implements Result {}

        /** The stop limit was reached before the database was available. */
        record TimedOut() implements Result {}
    }

    /** Loads the stored position; empty if the database is unavailable: load again after {@link #retryDelay}. */
    Optional<Loaded> load() {
        Optional<StoredMark> position;
        List<UnstoredMessage> notStored;
        try {
            position = store.position(partition);
            notStored = store.notStored(partition, -1, StoredThrough.MAX_NOT_STORED);
        } catch (StoreUnavailable unavailable) {
            failed(unavailable);
            return Optional.empty();
        }
        succeeded();
        stored = position.map(StoredMark::mark).orElse(null);
        return Optional.of(new Loaded(position.orElse(null), withValidNames(notStored)));
    }

    /** The time to wait after an attempt that failed; each call doubles it. */
    Duration retryDelay() {
        return backoff.next();
    }

    /** The stored position; null if nothing is stored. */
    @Nullable
    Mark position() {
        return stored;
    }

    /** Retries until the batch is stored, another consumer has moved the position, or the stop limit is reached. */
    Result write(Batch batch) {
        boolean again = false;
        while (true) {
            long began = System.nanoTime();
            try {
                Outcome outcome = store.write(batch, stored, again);
                succeeded();
                return switch (outcome) {
                    case Outcome.Stored done -> written(batch, done, began);
                    case Outcome.Fenced fenced -> {
                        metrics.fenced();
                        yield new Result.Fenced();
                    }
                };
            } catch (StoreUnavailable unavailable) {
                failed(unavailable);
                again = true;
                if (!stop.pause(retryDelay())) return new Result.TimedOut();
            }
        }
    }

    private Result written(Batch batch, Outcome.Stored outcome, long began) {
        metrics.written(batch, outcome, Duration.ofNanos(System.nanoTime() - began));
        if (batch.end() != null) stored = batch.end();
        return new Result.Stored(began, outcome.deadLetters(), withValidNames(outcome.notStored()));
    }

    private void succeeded() {
        database.succeeded();
        backoff.reset();
    }

    private void failed(StoreUnavailable why) {
        database.failed(String.valueOf(why.getMessage()));
        metrics.retried();
    }

    /** Messages whose room and user are valid, which excludes entries that no chat server wrote. */
    private static List<NotStored> withValidNames(List<UnstoredMessage> messages) {
        List<NotStored> valid = new ArrayList<>(messages.size());
        for (UnstoredMessage message : messages) {
            String room = message.roomId();
            String user = message.userId();
            if (room != null && RoomId.isValid(room) && user != null && NotStored.isUserId(user))
                valid.add(new NotStored(message.position(), message.messageId(), new RoomId(room), user));
        }
        return valid;
    }
}
