package chat.nodes;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Which server has the rooms of a partition, as HAProxy deals them: rooms are cut into slices by the checksum of their name,
 * and slice {@code s} belongs to server {@code s mod servers}; where that is gone, to the next one. Servers are numbered from 0.
 *
 * @param partitions of the log, at least 1
 * @param servers at least 1
 */
public record PartitionPlacement(int partitions, int servers) {
    /** HAProxy's hash of a number of one byte is that number: so many servers' {@link #refusedKey} is one. */
    private static final int MOST_WITH_SMALL_KEYS = 16;

    public PartitionPlacement {
        if (partitions < 1 || servers < 1)
            throw new IllegalArgumentException("partitions and servers must be at least 1");
    }

    /** With more servers than partitions a partition's rooms are dealt out over several servers, each room whole. */
    int slices() {
        return Math.max(partitions, servers);
    }

    /**
     * To be added to the number of a slice's own server: a key by which HAProxy finds the next one while the own one refuses
     * connections, by the rest of dividing it by the number of servers that it takes to be up. These are all of them at
     * first, and one less, the own one, from the moment on in which it is marked down: of {@code (n - 1)²} the rest by
     * {@code n} is 1, the next one, and by {@code n - 1} it is 0, the one that has taken the place of the own one. With more
     * than 16 servers only the former.
     */
    int refusedKey() {
        return servers > MOST_WITH_SMALL_KEYS ? 1 : (servers - 1) * (servers - 1);
    }

    /** The partitions with rooms of this server, and those with rooms that it has where the one before it is gone. Ascending. */
    public List<Integer> partitionsOf(int server) {
        return IntStream.range(0, slices())
                .filter(slice -> slice % servers == server || (slice + 1) % servers == server)
                .flatMap(this::partitionsOfSlice)
                .distinct()
                .sorted()
                .boxed()
                .toList();
    }

    /** What a checksum's rests by slices and by partitions have in common is its rest by their greatest common divisor. */
    private IntStream partitionsOfSlice(int slice) {
        int common = greatestCommonDivisor(slices(), partitions);
        return IntStream.iterate(slice % common, partition -> partition < partitions, partition -> partition + common);
    }

    private static int greatestCommonDivisor(int a, int b) {
        return b == 0 ? a : greatestCommonDivisor(b, a % b);
    }
}
