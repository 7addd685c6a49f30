package chat.log;

import chat.protocol.RoomId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Collects what waits in one partition and lays it out as one entry: per room a segment of message facts, followed by
 * their JSON with commas between, so that a reader makes a frame of it by one slice. Not thread-safe.
 *
 * @param <A> what the owner wants back, message by message, when the entry has been read from the log
 */
public final class EntryBuilder<A> {
    private static final int FACTS_FIXED_BYTES = 16 + 1 + 8 + 4 + 1 + 1;
    private static final int SEGMENT_FIXED_BYTES = 1 + 2 + 4;

    private final int maxBytes;
    private final int maxMessages;
    private final Map<RoomId, Segment<A>> segments = new LinkedHashMap<>();
    private int bytes = EntryHeader.MAX_BYTES;
    private int messages;

    /**
     * @param maxBytes of the entry; a single message that is larger still fits alone
     * @param maxMessages at most {@link Position#MESSAGES_PER_ENTRY}
     */
    public EntryBuilder(int maxBytes, int maxMessages) {
        if (maxMessages < 1 || maxMessages > Position.MESSAGES_PER_ENTRY)
            throw new IllegalArgumentException("maxMessages must be 1 to " + Position.MESSAGES_PER_ENTRY);
        this.maxBytes = maxBytes;
        this.maxMessages = maxMessages;
    }

    /** Returns false, and keeps nothing, where the message does not fit. */
    public boolean add(OutgoingMessage message, A attachment) {
        int more = FACTS_FIXED_BYTES
                + message.clientAddress().length
                + message.userId().length()
                + message.json().length
                + 1;
        Segment<A> segment = segments.get(message.room());
        if (segment == null)
            more += SEGMENT_FIXED_BYTES + message.room().value().length();
        if (messages > 0 && (messages == maxMessages || bytes + more > maxBytes)) return false;
        if (segment == null) {
            segment = new Segment<>();
            segments.put(message.room(), segment);
        }
        segment.add(message, attachment);
        bytes += more;
        messages++;
        return true;
    }

    public boolean isEmpty() {
        return messages == 0;
    }

    public int messages() {
        return messages;
    }

    /** Attachments in the order in which the messages stand in the entry: their indexes. */
    public List<A> attachments() {
        List<A> all = new ArrayList<>(messages);
        for (Segment<A> segment : segments.values()) all.addAll(segment.attachments);
        return all;
    }

    public byte[] encode(EntryHeader header) {
        ByteBuffer to = ByteBuffer.allocate(bytes);
        header.write(to);
        segments.forEach((room, segment) -> {
            byte[] name = room.value().getBytes(StandardCharsets.US_ASCII);
            to.put((byte) name.length).put(name);
            to.putShort((short) segment.attachments.size()).putInt(segment.json.length());
            to.put(segment.facts.array(), 0, segment.facts.length());
            to.put(segment.json.array(), 0, segment.json.length());
        });
        return Arrays.copyOf(to.array(), to.position());
    }

    /** An entry without messages. */
    public static byte[] encodeEmpty(EntryHeader header) {
        ByteBuffer to = ByteBuffer.allocate(header.length());
        header.write(to);
        return to.array();
    }

    private static final class Segment<A> {
        final Bytes facts = new Bytes(64);
        final Bytes json = new Bytes(256);
        final List<A> attachments = new ArrayList<>();

        void add(OutgoingMessage message, A attachment) {
            byte[] address = message.clientAddress();
            byte[] user = message.userId().getBytes(StandardCharsets.US_ASCII);
            ByteBuffer to = facts.room(FACTS_FIXED_BYTES + address.length + user.length);
            to.putLong(message.messageId().getMostSignificantBits());
            to.putLong(message.messageId().getLeastSignificantBits());
            to.put(message.type().code()).putLong(message.timestamp()).putInt(message.json().length);
            to.put((byte) address.length).put(address).put((byte) user.length).put(user);
            if (!attachments.isEmpty()) json.room(1).put((byte) ',');
            json.room(message.json().length).put(message.json());
            attachments.add(attachment);
        }
    }

    /** A growing array, written through a buffer over it. */
    private static final class Bytes {
        private ByteBuffer buffer;

        Bytes(int capacity) {
            buffer = ByteBuffer.allocate(capacity);
        }

        ByteBuffer room(int more) {
            if (buffer.remaining() < more) {
                int capacity = Math.max(buffer.capacity() * 2, buffer.position() + more);
                buffer = ByteBuffer.allocate(capacity).put(buffer.flip());
            }
            return buffer;
        }

        byte[] array() {
            return buffer.array();
        }

        int length() {
            return buffer.position();
        }
    }
}
