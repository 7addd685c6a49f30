package chat.log;

import chat.protocol.RoomId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
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
    private static final int COMMA_BYTES = 1;

    private final int maxBytes;
    private final int maxMessages;
    private final Map<RoomId, Segment<A>> segments = new LinkedHashMap<>();
    /** Of all segments, as they will be laid out. */
    private int bytes;

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
                + message.json().length;
        Segment<A> segment = segments.get(message.room());
        more += segment != null
                ? COMMA_BYTES
                : SEGMENT_FIXED_BYTES + message.room().value().length();
        boolean full = messages == maxMessages || EntryHeader.MAX_BYTES + bytes + more > maxBytes;
        if (full && messages > 0) return false;
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

    /** Lays it out once, in an array of just its size. */
    public byte[] encode(EntryHeader header) {
        ByteBuffer to = ByteBuffer.allocate(header.length() + bytes);
        header.write(to);
        segments.forEach((room, segment) -> {
            byte[] name = room.value().getBytes(StandardCharsets.US_ASCII);
            to.put((byte) name.length).put(name);
            segment.write(to);
        });
        return to.array();
    }

    /** An entry without messages. */
    public static byte[] encodeEmpty(EntryHeader header) {
        ByteBuffer to = ByteBuffer.allocate(header.length());
        header.write(to);
        return to.array();
    }

    private static final class Segment<A> {
        final List<OutgoingMessage> messages = new ArrayList<>();
        final List<A> attachments = new ArrayList<>();

        void add(OutgoingMessage message, A attachment) {
            messages.add(message);
            attachments.add(attachment);
        }

        void write(ByteBuffer to) {
            to.putShort((short) messages.size());
            int lengthAt = to.position();
            to.putInt(0); // the length of the JSON, once it is here
            for (OutgoingMessage message : messages) writeFacts(message, to);
            int jsonAt = to.position();
            for (int i = 0; i < messages.size(); i++) {
                if (i > 0) to.put((byte) ',');
                to.put(messages.get(i).json());
            }
            to.putInt(lengthAt, to.position() - jsonAt);
        }

        private static void writeFacts(OutgoingMessage message, ByteBuffer to) {
            byte[] address = message.clientAddress();
            byte[] user = message.userId().getBytes(StandardCharsets.US_ASCII);
            to.putLong(message.messageId().getMostSignificantBits());
            to.putLong(message.messageId().getLeastSignificantBits());
            to.put(message.type().code()).putLong(message.timestamp()).putInt(message.json().length);
            to.put((byte) address.length).put(address).put((byte) user.length).put(user);
        }
    }
}
