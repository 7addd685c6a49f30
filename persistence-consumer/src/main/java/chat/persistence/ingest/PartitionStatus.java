package chat.persistence.ingest;

import org.jspecify.annotations.Nullable;

/**
 * Status of a partition.
 *
 * @param position it is stored to, decimal; null if nothing is stored, or it is not known yet
 * @param waiting messages read but not stored
 * @param lagSeconds seconds since the intake of the oldest of them; 0 if there is none
 */
public record PartitionStatus(
        int partition, State state, @Nullable String position, int waiting, double lagSeconds) {
    public enum State {
        /** The position has not been read from the database yet. */
        STARTING,
        /** The reader has not found its position in the log: the log is empty or unavailable. */
        ATTACHING,
        READING,
        /** Another consumer stores this partition; this one checks it again periodically. */
        FENCED,
        STOPPED
    }
}
