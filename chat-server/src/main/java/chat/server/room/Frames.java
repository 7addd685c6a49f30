package chat.server.room;

import chat.protocol.RoomId;
import chat.protocol.ServerFrames;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Builds complete WebSocket text frames with headers. Frames from a server are not masked, so all sockets share a
 * buffer.
 */
public final class Frames {
    /** Maximum size of a MESSAGES frame; a larger message is sent in a frame of its own. */
    static final int MAX_BYTES = 128 * 1024;

    /** Maximum size of a MESSAGES frame without its messages. */
    private static final int AROUND_MESSAGES = 256;

    /** Used only for frames, so that their memory can be measured. */
    private static final PooledByteBufAllocator MEMORY = new PooledByteBufAllocator(true);

    private static final int FINAL_TEXT = 0x81;

    private Frames() {}

    /** Returns the bytes of all frames of this process that have not been released. */
    public static long bytesInUse() {
        return MEMORY.pinnedDirectMemory();
    }

    /** One text frame. */
    public static ByteBuf text(byte[] utf8) {
        ByteBuf frame = allocate(utf8.length);
        return frame.writeBytes(utf8);
    }

    private static ByteBuf allocate(int payload) {
        ByteBuf frame = MEMORY.directBuffer(payload + 10);
        frame.writeByte(FINAL_TEXT);
        if (payload < 126) frame.writeByte(payload);
        else if (payload < 65_536) frame.writeByte(126).writeShort(payload);
        else frame.writeByte(127).writeLong(payload);
        return frame;
    }

    /** Builds MESSAGES frames of bounded size from messages in ascending order. The consumer owns the frames. */
    static void messages(RoomId room, List<RecentMessage> messages, Consumer<ByteBuf> frames) {
        List<RecentMessage> together = new ArrayList<>();
        int bytes = 0;
        for (RecentMessage message : messages) {
            if (!together.isEmpty() && bytes + message.json().length + 1 > MAX_BYTES - AROUND_MESSAGES) {
                frames.accept(messages(room, together, bytes));
                together.clear();
                bytes = 0;
            }
            together.add(message);
            bytes += message.json().length + 1;
        }
        if (!together.isEmpty()) frames.accept(messages(room, together, bytes));
    }

    /** @param bytes of the JSON of all messages, plus one comma each */
    private static ByteBuf messages(RoomId room, List<RecentMessage> messages, int bytes) {
        byte[] head = ServerFrames.messagesHead(room, messages.getLast().position());
        ByteBuf frame = allocate(head.length + bytes - 1 + ServerFrames.MESSAGES_TAIL.length);
        frame.writeBytes(head);
        for (int i = 0; i < messages.size(); i++) {
            if (i > 0) frame.writeByte(',');
            frame.writeBytes(messages.get(i).json());
        }
        return frame.writeBytes(ServerFrames.MESSAGES_TAIL);
    }
}
