package chat.log;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The header of every entry.
 *
 * @param epoch epoch of the log that this entry was written for, in microseconds since 1970; in a HELLO, the epoch
 *     that it proposes
 * @param previousEpoch in a HELLO, the epoch to replace, or 0 if the log seems to be empty; else 0
 * @param incarnation incarnation of the writer: a random number, chosen each time it starts in the partition
 * @param sequence number of the entry in this incarnation and partition, from 1
 * @param serverId name of the server, for logs; at most 64 ASCII characters
 */
public record EntryHeader(
        EntryKind kind, long epoch, long previousEpoch, long incarnation, long sequence, String serverId) {
    private static final byte VERSION = 1;
    private static final int EPOCH_AT = 2;
    private static final int FIXED_BYTES = 2 + 8 + 8 + 8 + 8 + 1;
    private static final int MAX_SERVER_ID = 64;
    static final int MAX_BYTES = FIXED_BYTES + MAX_SERVER_ID;

    public EntryHeader {
        // Every reader would adopt an epoch that is too high, and no later one could replace it.
        if (epoch < 1 || epoch > Position.MAX_EPOCH) throw new IllegalArgumentException("invalid epoch " + epoch);
        if (previousEpoch < 0 || previousEpoch > Position.MAX_EPOCH)
            throw new IllegalArgumentException("invalid previous epoch " + previousEpoch);
        if (sequence < 1) throw new IllegalArgumentException("invalid sequence " + sequence);
        checkServerId(serverId);
    }

    static void checkServerId(String serverId) {
        if (serverId.length() > MAX_SERVER_ID || !serverId.chars().allMatch(c -> c >= ' ' && c <= '~'))
            throw new IllegalArgumentException("serverId must be at most 64 ASCII characters");
    }

    int length() {
        return FIXED_BYTES + serverId.length();
    }

    void write(ByteBuffer to) {
        if (kind == EntryKind.LATER) throw new IllegalArgumentException("an entry of kind LATER cannot be written");
        byte[] server = serverId.getBytes(StandardCharsets.US_ASCII);
        to.put(VERSION).put(kind.code()).putLong(epoch).putLong(previousEpoch);
        to.putLong(incarnation).putLong(sequence).put((byte) server.length).put(server);
    }

    static EntryHeader read(ByteBuffer from) {
        byte version = from.get();
        if (version != VERSION) throw new MalformedEntry("unknown entry version " + version);
        EntryKind kind = EntryKind.ofCode(from.get());
        long epoch = from.getLong();
        long previousEpoch = from.getLong();
        long incarnation = from.getLong();
        long sequence = from.getLong();
        byte[] server = new byte[from.get() & 0xff];
        from.get(server);
        return new EntryHeader(
                kind, epoch, previousEpoch, incarnation, sequence, new String(server, StandardCharsets.US_ASCII));
    }

    /** Returns a copy of the entry for another epoch; the argument may still be in use and is not changed. */
    static byte[] withEpoch(byte[] entry, long epoch) {
        byte[] copy = entry.clone();
        ByteBuffer.wrap(copy).putLong(EPOCH_AT, epoch);
        return copy;
    }
}
