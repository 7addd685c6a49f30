package chat.server.room;

import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import org.springframework.util.unit.DataSize;

/**
 * Memory limits of rooms, and when partitions are read.
 *
 * @param recentBytes messages of a room kept in memory for members that join or resume, at least 4 KB
 * @param partitionBytes the same for all rooms of a partition; beyond it the least recently used are evicted
 * @param rememberedIds size of the deduplication window in message ids, all partitions together
 * @param partitionGrace time without local members after which the server stops reading a partition; 0: never
 * @param keptPartitions own and standby partitions, read even without members; empty: all are read at start
 */
public record RoomLimits(
        DataSize recentBytes,
        DataSize partitionBytes,
        int rememberedIds,
        Duration partitionGrace,
        Set<Integer> keptPartitions) {
    public RoomLimits {
        if (recentBytes.toBytes() < 4096 || recentBytes.toBytes() > Integer.MAX_VALUE)
            throw new IllegalArgumentException("recentBytes must be 4KB to 2GB");
        if (partitionBytes.compareTo(recentBytes) < 0)
            throw new IllegalArgumentException("partitionBytes must be at least recentBytes");
        if (rememberedIds < 1024) throw new IllegalArgumentException("rememberedIds must be at least 1024");
        if (partitionGrace.isNegative()) throw new IllegalArgumentException("partitionGrace must not be negative");
        // A stray comma binds as null.
        if (keptPartitions.stream().anyMatch(Objects::isNull))
            throw new IllegalArgumentException("kept-partitions must be numbers separated by commas");
        keptPartitions = Set.copyOf(keptPartitions);
    }
}
