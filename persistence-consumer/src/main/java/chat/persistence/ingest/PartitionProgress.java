package chat.persistence.ingest;

import chat.persistence.batch.Mark;
import chat.persistence.ingest.PartitionStatus.State;
import java.time.Clock;
import org.jspecify.annotations.Nullable;

/**
 * Records what one partition has read and stored, for its metrics and its health. The partition's thread reports the
 * events; any thread reads the result.
 */
final class PartitionProgress {
    private final Clock clock;
    private volatile PartitionStatus status;
    /** Intake of the oldest waiting message, or the start of the write in progress; milliseconds, 0: neither. */
    private volatile long oldestWaiting;

    PartitionProgress(int partition, Clock clock) {
        this.clock = clock;
        this.status = new PartitionStatus(partition, State.STARTING, null, 0, 0);
    }

    void register(IngestMetrics metrics) {
        int partition = status.partition();
        metrics.lag(partition, this::lagSeconds);
        metrics.waiting(partition, () -> status.waiting());
        metrics.state(partition, this::state);
    }

    /** A new reader starts after this position; null if nothing is stored. */
    void attaching(@Nullable Mark stored) {
        report(State.ATTACHING, position(stored), 0);
    }

    /** The reader reads the log that it knows. */
    void logAttached() {
        report(State.READING, status.position(), status.waiting());
    }

    /** The reader has lost the log and subscribes again. */
    void logDetached() {
        report(State.ATTACHING, status.position(), status.waiting());
    }

    /**
     * Messages or gaps were read.
     *
     * @param waiting messages read and not stored
     * @param oldest intake time of the first of them, milliseconds since 1970
     */
    void read(int waiting, long oldest) {
        if (waiting > 0 && oldestWaiting == 0) oldestWaiting = oldest;
        report(State.READING, status.position(), waiting);
    }

    /** A write begins. A batch without messages is late, too, if the database is unavailable. */
    void writing() {
        if (oldestWaiting == 0) oldestWaiting = clock.millis();
    }

    /** Everything that was read is stored. The state stays: the reader may have lost the log before. */
    void stored(@Nullable Mark stored) {
        oldestWaiting = 0;
        report(status.state(), position(stored), 0);
    }

    /** The reader was closed; what it had read and not stored will be read again. */
    void closed(State next) {
        oldestWaiting = 0;
        report(next, status.position(), 0);
    }

    /** The partition has ended. The lag stays if messages could not be stored. */
    void stopped() {
        report(State.STOPPED, status.position(), 0);
    }

    private void report(State state, @Nullable String position, int waiting) {
        status = new PartitionStatus(status.partition(), state, position, waiting, 0);
    }

    private static @Nullable String position(@Nullable Mark stored) {
        return stored == null ? null : Long.toString(stored.position());
    }

    State state() {
        return status.state();
    }

    private double lagSeconds() {
        long oldest = oldestWaiting;
        return oldest == 0 ? 0 : Math.max(0, clock.millis() - oldest) / 1000.0;
    }

    PartitionStatus status() {
        PartitionStatus now = status;
        return new PartitionStatus(now.partition(), now.state(), now.position(), now.waiting(), lagSeconds());
    }
}
