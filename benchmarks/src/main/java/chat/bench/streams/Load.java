package chat.bench.streams;

/**
 * What is published, and by how many it is read.
 *
 * @param bytes of an entry
 * @param rate entries per second, over all streams
 * @param readers each reads all streams, as a server does that has members everywhere
 */
record Load(int bytes, int rate, int readers) {
    Load {
        if (bytes < Long.BYTES || rate < 1 || readers < 0)
            throw new IllegalArgumentException("bytes must be at least 8, rate 1, readers 0");
    }
}
