package chat.log;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The position up to which the consumer has stored a partition: the body of a STORED.
 *
 * @param position every message up to it is a row of the database, except those listed here or in an earlier STORED
 * @param notStored messages up to the position that could not be stored, at most {@link #MAX_NOT_STORED}; each is
 *     listed in at least one STORED
 */
public record StoredThrough(long position, List<NotStored> notStored) {
    /** With at most 345 bytes each, the entry stays below the limit of any entry. */
    public static final int MAX_NOT_STORED = 1000;

    public StoredThrough {
        if (position < 0) throw new IllegalArgumentException("position must not be negative: " + position);
        if (notStored.size() > MAX_NOT_STORED)
            throw new IllegalArgumentException("notStored must have at most " + MAX_NOT_STORED + " messages");
        notStored = List.copyOf(notStored);
    }

    public StoredThrough(long position) {
        this(position, List.of());
    }

    /** Encodes the whole entry. */
    public byte[] encode(EntryHeader header) {
        if (header.kind() != EntryKind.STORED)
            throw new IllegalArgumentException("the header must be of kind STORED: " + header);
        int bytes = header.length() + Long.BYTES;
        for (NotStored each : notStored) bytes += each.length();
        ByteBuffer to = ByteBuffer.allocate(bytes);
        header.write(to);
        to.putLong(position);
        for (NotStored each : notStored) each.write(to);
        return to.array();
    }

    /** Reads all remaining bytes. */
    static StoredThrough read(ByteBuffer from) {
        long position = from.getLong();
        List<NotStored> notStored = new ArrayList<>(0);
        while (from.hasRemaining()) notStored.add(NotStored.read(from));
        return new StoredThrough(position, notStored);
    }
}
