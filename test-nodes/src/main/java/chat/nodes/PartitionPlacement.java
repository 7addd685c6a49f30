package chat.nodes;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Computes which server HAProxy selects for the rooms of a partition. The checksum of a room's name determines its
 * slice. A slice belongs to server {@code slice mod servers}, or to its standby if that server is down. The standby of
 * a server's first slice is the next server, that of its second slice the one after it, and so on, so that the other
 * servers share the slices of a failed one. Servers are numbered from 0.
 *
 * @param partitions number of partitions of the log, at least 1
 * @param servers number of servers, at least 1
 */
public record PartitionPlacement(int partitions, int servers) {
    /** HAProxy's hash of a one-byte number is that number; with more servers keys exceed one byte. */
    private static final int MOST_WITH_SMALL_KEYS = 16;

    public PartitionPlacement {
        if (partitions < 1 || servers < 1)
            throw new IllegalArgumentException("partitions and servers must be at least 1");
    }

    /**
     * Returns the number of slices. With more servers than partitions, several servers share the rooms of a partition.
     */
    int slices() {
        return Math.max(partitions, servers);
    }

    int own(int slice) {
        return slice % servers;
    }

    /** Returns the standby of a slice; with a single server, that server. */
    int standby(int slice) {
        return (slice + 1 + turn(slice)) % servers;
    }

    /** Returns the index of a slice among its server's slices: the distance of its standby from the next server. */
    int turn(int slice) {
        return slice / servers % others();
    }

    /** Returns the number of other servers, at least 1. */
    int others() {
        return Math.max(1, servers - 1);
    }

    /**
     * Returns the number that, added to the server and the {@link #turn} of a slice, gives the key with which HAProxy
     * finds the standby while the slice's own server refuses connections: the standby is the key modulo the number of
     * servers that are up. That number is {@code n} at first, and {@code n - 1} once the own server is marked down and
     * later servers move up. {@code (n - 1)²} has the remainders 1 and 0, and both are correct. With more than 16
     * servers only the former is.
     */
    int refusedKey() {
        return servers > MOST_WITH_SMALL_KEYS ? 1 : (servers - 1) * (servers - 1);
    }

    /** Returns the partitions for whose rooms this server is the own server or the standby; ascending. */
    public List<Integer> partitionsOf(int server) {
        return IntStream.range(0, slices())
                .filter(slice -> own(slice) == server || standby(slice) == server)
                .flatMap(this::partitionsOfSlice)
                .distinct()
                .sorted()
                .boxed()
                .toList();
    }

    /** A slice and a partition share rooms if they are equal modulo the greatest common divisor of their counts. */
    private IntStream partitionsOfSlice(int slice) {
        int common = greatestCommonDivisor(slices(), partitions);
        return IntStream.iterate(slice % common, partition -> partition < partitions, partition -> partition + common);
    }

    private static int greatestCommonDivisor(int a, int b) {
        return b == 0 ? a : greatestCommonDivisor(b, a % b);
    }
}
