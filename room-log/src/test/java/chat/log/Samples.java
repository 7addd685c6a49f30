package chat.log;

import chat.protocol.MessageType;
import chat.protocol.RoomId;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** Messages and headers for tests. */
final class Samples {
    static final byte[] IPV4 = {127, 0, 0, 1};
    static final byte[] IPV6 = {0x20, 1, 0xd, (byte) 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    static final byte[] NO_ADDRESS = {};

    private Samples() {}

    static OutgoingMessage message(String room, String text) {
        return message(room, UUID.randomUUID(), NO_ADDRESS, "42", text);
    }

    static OutgoingMessage message(String room, UUID id, byte[] address, String user, String text) {
        byte[] json = ("{\"message\":\"" + text + "\"}").getBytes(StandardCharsets.UTF_8);
        return new OutgoingMessage(new RoomId(room), id, MessageType.TEXT, user, 1_700_000_000_123L, address, json);
    }

    /** The text of a sample message. */
    static String text(Segment segment, int i) {
        String json = new String(segment.json(i), StandardCharsets.UTF_8);
        return json.substring("{\"message\":\"".length(), json.length() - 2);
    }

    static EntryHeader header(EntryKind kind, long epoch, long incarnation, long sequence) {
        return new EntryHeader(kind, epoch, 0, incarnation, sequence, "server-a");
    }

    static byte[] entry(long epoch, long incarnation, long sequence, OutgoingMessage... messages) {
        EntryBuilder<String> builder = new EntryBuilder<>(512 * 1024, Position.MESSAGES_PER_ENTRY);
        for (OutgoingMessage message : messages) {
            if (!builder.add(message, "")) throw new IllegalArgumentException("too much for one entry");
        }
        return builder.encode(header(EntryKind.MESSAGES, epoch, incarnation, sequence));
    }
}
