package chat.persistence.ingest;

import org.jspecify.annotations.Nullable;

/**
 * Where a partition stands.
 *
 * @param position up to which it is stored, decimal; null where nothing is, or it is not known yet
 * @param waiting messages that were read and are not stored
 * @param lagSeconds since the intake of the oldest of them; 0 where there is none
 */
public record PartitionStatus(
        int partition, State state, @Nullable String position, int waiting, double lagSeconds) {
    public enum State {
        /** The position is not known yet, or not asked for. */
        STARTING,
        /** The reader has not found its place in the log: the log is empty or can't be reached. */
        ATTACHING,
        READING,
        /** Another consumer stores this partition; we look again from time to time. */
        FENCED,
        STOPPED
    }
}
