package chat.log;

import chat.protocol.RoomId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Collects messages of one partition and encodes them as one entry. Each room has a segment: the facts of its messages,
 * then their JSON separated by commas, so that a reader builds a frame from one slice. Not thread-safe.
 *
 * @param <A> attachment of each message, which the owner gets back when the entry has been read from the log
 */
public final class EntryBuilder<A> {
    private static final int FACTS_FIXED_BYTES = 16 + 1 + 8 + 4 + 1 + 1;
    private static final int SEGMENT_FIXED_BYTES = 1 + 2 + 4;
    private static final int COMMA_BYTES = 1;

    private final int maxBytes;
    private final int maxMessages;
    private final Map<RoomId, Segment<A>> segments = new LinkedHashMap<>();
    /** Encoded length of all segments. */
    private int bytes;

    private int messages;

    /**
     * @param maxBytes limit of the entry; a single larger message is accepted alone
     * @param maxMessages at most {@link Position#MESSAGES_PER_ENTRY}
     */
    public EntryBuilder(int maxBytes, int maxMessages) {
        if (maxMessages < 1 || maxMessages > Position.MESSAGES_PER_ENTRY)
            throw new IllegalArgumentException("maxMessages must be 1 to " + Position.MESSAGES_PER_ENTRY);
        this.maxBytes = maxBytes;
        this.maxMessages = maxMessages;
    }

    /** Adds a message; returns false and changes nothing if it does not fit. */
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

    /** Attachments in the order of the messages in the entry. */
    public List<A> attachments() {
        List<A> all = new ArrayList<>(messages);
        for (Segment<A> segment : segments.values()) all.addAll(segment.attachments);
        return all;
    }

    /** Encodes the entry into an array of exactly its size. */
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
            to.putInt(0); // the length of the JSON, set below
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
