package chat.log;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What stands in front of every entry.
 *
 * @param origin of the log this entry was written for, microseconds since 1970
 * @param previousOrigin in a HELLO: the origin it would replace, 0 where the log is believed empty; else 0
 * @param run random, made at each start of a server
 * @param sequence counts the entries of one run and partition, from 1
 * @param serverId for people; at most 64 ASCII characters
 */
public record EntryHeader(EntryKind kind, long origin, long previousOrigin, long run, long sequence, String serverId) {
    private static final byte VERSION = 1;
    private static final int ORIGIN_AT = 2;
    private static final int FIXED_BYTES = 2 + 8 + 8 + 8 + 8 + 1;
    private static final int MAX_SERVER_ID = 64;
    static final int MAX_BYTES = FIXED_BYTES + MAX_SERVER_ID;

    public EntryHeader {
        // One wrong origin would be followed by every reader, and none could come after it.
        if (origin < 1 || origin > Position.MAX_ORIGIN) throw new IllegalArgumentException("origin " + origin);
        if (previousOrigin < 0 || previousOrigin > Position.MAX_ORIGIN)
            throw new IllegalArgumentException("previous origin " + previousOrigin);
        if (sequence < 1) throw new IllegalArgumentException("sequence " + sequence);
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
        if (kind == EntryKind.LATER) throw new IllegalArgumentException("what is not known here can't be written");
        byte[] server = serverId.getBytes(StandardCharsets.US_ASCII);
        to.put(VERSION).put(kind.code()).putLong(origin).putLong(previousOrigin);
        to.putLong(run).putLong(sequence).put((byte) server.length).put(server);
    }

    static EntryHeader read(ByteBuffer from) {
        byte version = from.get();
        if (version != VERSION) throw new MalformedEntry("entry version " + version + " is not known here");
        EntryKind kind = EntryKind.ofCode(from.get());
        long origin = from.getLong();
        long previousOrigin = from.getLong();
        long run = from.getLong();
        long sequence = from.getLong();
        byte[] server = new byte[from.get() & 0xff];
        from.get(server);
        return new EntryHeader(
                kind, origin, previousOrigin, run, sequence, new String(server, StandardCharsets.US_ASCII));
    }

    /** The same entry for another log; the bytes given may still be in use, or be the log's, and stay as they are. */
    static byte[] withOrigin(byte[] entry, long origin) {
        byte[] copy = entry.clone();
        ByteBuffer.wrap(copy).putLong(ORIGIN_AT, origin);
        return copy;
    }
}
