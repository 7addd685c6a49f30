package chat.bench.streams;

import java.nio.ByteBuffer;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Writes and reads the first bytes of an entry: its intended publish time by {@link System#nanoTime}, which is the same
 * for all processes of a machine on Linux and macOS.
 */
final class Stamp {
    private Stamp() {}

    static byte[] entry(int bytes, long meantAt) {
        byte[] entry = new byte[bytes];
        ThreadLocalRandom.current().nextBytes(entry);
        ByteBuffer.wrap(entry).putLong(meantAt);
        return entry;
    }

    static long of(byte[] entry) {
        return ByteBuffer.wrap(entry).getLong();
    }
}
