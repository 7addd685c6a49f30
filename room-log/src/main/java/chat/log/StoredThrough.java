package chat.log;

import java.nio.ByteBuffer;

/**
 * Up to where the consumer has stored a partition: the body of a STORED.
 *
 * @param position every message of the partition up to it is kept: as a row, or with the reason why it is none
 */
public record StoredThrough(long position) {
    public StoredThrough {
        if (position < 0) throw new IllegalArgumentException("stored up to " + position);
    }

    /** The whole entry. */
    public byte[] encode(EntryHeader header) {
        if (header.kind() != EntryKind.STORED)
            throw new IllegalArgumentException("the body of a STORED, not of " + header);
        ByteBuffer to = ByteBuffer.allocate(header.length() + Long.BYTES);
        header.write(to);
        return to.putLong(position).array();
    }

    /** Reads to the end. */
    static StoredThrough read(ByteBuffer from) {
        StoredThrough stored = new StoredThrough(from.getLong());
        if (from.hasRemaining()) throw new MalformedEntry("something follows a position");
        return stored;
    }
}
