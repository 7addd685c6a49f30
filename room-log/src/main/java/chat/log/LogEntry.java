package chat.log;

import chat.protocol.MessageType;
import chat.protocol.RoomId;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One entry as it was read from the log.
 *
 * @param epoch epoch of the log that it was read from, in microseconds since 1970; the header's epoch differs in a
 *     HELLO whose proposal was not accepted
 * @param offset its offset in the partition
 * @param segments its messages by room; empty unless the kind is MESSAGES
 * @param stored null unless the kind is STORED
 * @param roster null unless the kind is ROSTER
 */
public record LogEntry(
        EntryHeader header,
        long epoch,
        long offset,
        List<Segment> segments,
        @Nullable StoredThrough stored,
        @Nullable Roster roster) {

    /** The position of its message number {@code index}, or of the entry itself by index 0. */
    public long position(int index) {
        return Position.of(epoch, offset, index);
    }

    /** The position of its last message; the position of the entry if it has no messages. */
    public long lastPosition() {
        if (segments.isEmpty()) return position(0);
        Segment last = segments.getLast();
        return position(last.firstIndex() + last.size() - 1);
    }

    public int messages() {
        return segments.isEmpty()
                ? 0
                : segments.getLast().firstIndex() + segments.getLast().size();
    }

    /** @throws MalformedEntry if the bytes do not start with a header of a known version */
    static EntryHeader header(byte[] bytes) {
        try {
            return EntryHeader.read(ByteBuffer.wrap(bytes));
        } catch (BufferUnderflowException | IllegalArgumentException broken) {
            throw broken(broken);
        }
    }

    /**
     * Decodes the entry that was read at this offset.
     *
     * @throws MalformedEntry if the bytes are not exactly one entry
     */
    public static LogEntry parse(byte[] bytes, long epoch, long offset) {
        try {
            ByteBuffer from = ByteBuffer.wrap(bytes);
            EntryHeader header = EntryHeader.read(from);
            List<Segment> segments = switch (header.kind()) {
                case MESSAGES -> segments(from, bytes);
                case HELLO, HEARTBEAT -> {
                    if (from.hasRemaining()) throw new MalformedEntry("unexpected bytes after a " + header.kind());
                    yield List.of();
                }
                case ROSTER, STORED, LATER -> List.of();
            };
            StoredThrough stored = header.kind() == EntryKind.STORED ? StoredThrough.read(from) : null;
            Roster roster = header.kind() == EntryKind.ROSTER ? Roster.read(from) : null;
            return new LogEntry(header, epoch, offset, segments, stored, roster);
        } catch (BufferUnderflowException | IllegalArgumentException broken) {
            throw broken(broken);
        }
    }

    private static MalformedEntry broken(RuntimeException why) {
        return why instanceof BufferUnderflowException
                ? new MalformedEntry("the entry ends early", why)
                : new MalformedEntry("invalid entry: " + why.getMessage(), why);
    }

    private static List<Segment> segments(ByteBuffer from, byte[] bytes) {
        List<Segment> segments = new ArrayList<>();
        int index = 0;
        do {
            Segment segment = segment(from, bytes, index);
            segments.add(segment);
            index += segment.size();
        } while (from.hasRemaining());
        return List.copyOf(segments);
    }

    private static Segment segment(ByteBuffer from, byte[] bytes, int firstIndex) {
        byte[] name = new byte[from.get() & 0xff];
        from.get(name);
        RoomId room = new RoomId(new String(name, StandardCharsets.US_ASCII));
        int size = from.getShort() & 0xffff;
        int jsonBytes = from.getInt();
        if (size == 0) throw new MalformedEntry("segment without messages");
        if (firstIndex + size > Position.MESSAGES_PER_ENTRY)
            throw new MalformedEntry("more than " + Position.MESSAGES_PER_ENTRY + " messages in one entry");
        int[] factsAt = new int[size];
        int[] jsonAt = new int[size + 1];
        int json = 0;
        for (int i = 0; i < size; i++) {
            factsAt[i] = from.position();
            skip(from, Segment.TYPE_AT);
            MessageType.ofCode(from.get());
            skip(from, Segment.JSON_LENGTH_AT - Segment.TIMESTAMP_AT);
            jsonAt[i] = json;
            int length = from.getInt();
            if (length < 2 || length > jsonBytes - json)
                throw new MalformedEntry("message of " + length + " bytes in a segment of " + jsonBytes);
            json += length + 1;
            int address = from.get() & 0xff;
            if (!OutgoingMessage.isAddressLength(address))
                throw new MalformedEntry("address of " + address + " bytes; accepted are 0, 4 and 16");
            skip(from, address);
            skip(from, from.get() & 0xff);
        }
        if (json - 1 != jsonBytes)
            throw new MalformedEntry("the length of a segment differs from the sum of its messages");
        int start = from.position();
        for (int i = 0; i < size; i++) jsonAt[i] += start;
        jsonAt[size] = start + json;
        skip(from, jsonBytes);
        for (int i = 1; i < size; i++)
            if (bytes[jsonAt[i] - 1] != ',') throw new MalformedEntry("missing comma between two messages");
        return new Segment(room, firstIndex, bytes, factsAt, jsonAt);
    }

    private static void skip(ByteBuffer from, int bytes) {
        if (bytes > from.remaining()) throw new BufferUnderflowException();
        from.position(from.position() + bytes);
    }
}
