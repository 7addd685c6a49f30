package chat.server.room;

import chat.protocol.ChatMessage;
import chat.protocol.Member;
import chat.protocol.MessageJson;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Measures building and releasing one MESSAGES frame of 50 messages of 100 characters, done once per room. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class FramesBenchmark {
    private static final int MESSAGES = 50;

    private final RoomId room = new RoomId("room7");
    private final List<RecentMessage> messages = messages();

    static List<RecentMessage> messages() {
        List<RecentMessage> messages = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            byte[] json = MessageJson.encode(new ChatMessage(
                    new UUID(0x0199b7c03a1e7d42L, 0x8f00000000000000L + i),
                    new Member("4711", "alice4711"),
                    MessageType.TEXT,
                    "x".repeat(100),
                    1_763_632_800_123L));
            messages.add(new RecentMessage(1_000 + i, json));
        }
        return messages;
    }

    @Benchmark
    public void messagesFrame() {
        Frames.messages(room, messages, ByteBuf::release);
    }
}
