package chat.log;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Up to where the consumer has stored a partition: the body of a STORED.
 *
 * @param position every message of the partition up to it is a row, but for those named here or in an earlier STORED
 * @param notStored messages up to the position that could not become rows, at most {@link #MAX_NOT_STORED}; each is named by
 *     one STORED at least
 */
public record StoredThrough(long position, List<NotStored> notStored) {
    /** At most 345 bytes each: the entry stays below the size of any other. */
    public static final int MAX_NOT_STORED = 1000;

    public StoredThrough {
        if (position < 0) throw new IllegalArgumentException("stored up to " + position);
        if (notStored.size() > MAX_NOT_STORED)
            throw new IllegalArgumentException(notStored.size() + " messages that are not stored");
        notStored = List.copyOf(notStored);
    }

    public StoredThrough(long position) {
        this(position, List.of());
    }

    /** The whole entry. */
    public byte[] encode(EntryHeader header) {
        if (header.kind() != EntryKind.STORED)
            throw new IllegalArgumentException("the body of a STORED, not of " + header);
        int bytes = header.length() + Long.BYTES;
        for (NotStored each : notStored) bytes += each.length();
        ByteBuffer to = ByteBuffer.allocate(bytes);
        header.write(to);
        to.putLong(position);
        for (NotStored each : notStored) each.write(to);
        return to.array();
    }

    /** Reads to the end. */
    static StoredThrough read(ByteBuffer from) {
        long position = from.getLong();
        List<NotStored> notStored = new ArrayList<>(0);
        while (from.hasRemaining()) notStored.add(NotStored.read(from));
        return new StoredThrough(position, notStored);
    }
}
