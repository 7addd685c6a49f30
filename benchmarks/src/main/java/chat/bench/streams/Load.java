package chat.bench.streams;

/**
 * Describes the published entries and the number of readers.
 *
 * @param bytes size of an entry
 * @param rate entries per second, over all streams
 * @param readers number of readers; each reads all streams, as a server with members in all partitions
 */
record Load(int bytes, int rate, int readers) {
    Load {
        if (bytes < Long.BYTES || rate < 1 || readers < 0)
            throw new IllegalArgumentException("bytes must be at least 8, rate 1, readers 0");
    }
}
