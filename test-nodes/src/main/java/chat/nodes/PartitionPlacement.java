package chat.nodes;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Which server has the rooms of a partition, as HAProxy deals them. Rooms are cut into slices by the checksum of their name.
 * A slice belongs to server {@code slice mod servers}, and where that is gone to the one that stands by for the slice: of the
 * slices of a server the first has the next server, the second the one after that, and so on, so that what a lost server had
 * is shared by the others. Servers are numbered from 0.
 *
 * @param partitions of the log, at least 1
 * @param servers at least 1
 */
public record PartitionPlacement(int partitions, int servers) {
    /** HAProxy's hash of a number of one byte is that number; with more servers keys are larger. */
    private static final int MOST_WITH_SMALL_KEYS = 16;

    public PartitionPlacement {
        if (partitions < 1 || servers < 1)
            throw new IllegalArgumentException("partitions and servers must be at least 1");
    }

    /** With more servers than partitions a partition's rooms are dealt out over several servers, each room whole. */
    int slices() {
        return Math.max(partitions, servers);
    }

    int own(int slice) {
        return slice % servers;
    }

    /** With a single server itself. */
    int standby(int slice) {
        return (slice + 1 + turn(slice)) % servers;
    }

    /** Which of its server's slices it is: by so much its standby is farther than the next server. */
    int turn(int slice) {
        return slice / servers % others();
    }

    /** Of a server, at least 1. */
    int others() {
        return Math.max(1, servers - 1);
    }

    /**
     * What is added to the own server and the {@link #turn} of a slice makes a key by which HAProxy finds the standby while the
     * own one refuses connections: by the rest of dividing the key by the number of servers that are up. These are all
     * {@code n} at first, and {@code n - 1} from the moment on in which the own one is marked down and those behind it move up.
     * {@code (n - 1)²} has the rests 1 and 0, and both are right. With more than 16 servers only the former is.
     */
    int refusedKey() {
        return servers > MOST_WITH_SMALL_KEYS ? 1 : (servers - 1) * (servers - 1);
    }

    /** The partitions with rooms of this server, and those for whose rooms it stands by; ascending. */
    public List<Integer> partitionsOf(int server) {
        return IntStream.range(0, slices())
                .filter(slice -> own(slice) == server || standby(slice) == server)
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
