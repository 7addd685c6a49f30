package chat.log;

import chat.protocol.ChatMessage;
import chat.protocol.Member;
import chat.protocol.MessageJson;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
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

/** Measures an entry of 100 messages in 5 rooms: encoded by its server, parsed by each reader. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class EntryBenchmark {
    private static final int MESSAGES = 100;
    private static final int ROOMS = 5;
    private static final int MAX_BYTES = 512 * 1024;
    private static final long ORIGIN = 1_763_632_800_000_000L;

    private final EntryHeader header = new EntryHeader(EntryKind.MESSAGES, ORIGIN, 0, 4711, 42, "server-1");
    private final List<OutgoingMessage> messages = messages();
    private final byte[] entry = encode();

    private static List<OutgoingMessage> messages() {
        List<OutgoingMessage> messages = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            RoomId room = new RoomId("room" + i % ROOMS);
            UUID id = new UUID(0x0199b7c03a1e7d42L, 0x8f00000000000000L + i);
            Member member = new Member("4711", "alice4711");
            ChatMessage message = new ChatMessage(id, member, MessageType.TEXT, "x".repeat(100), 1_763_632_800_123L);
            byte[] address = {127, 0, 0, 1};
            byte[] json = MessageJson.encode(message);
            messages.add(new OutgoingMessage(
                    room, id, MessageType.TEXT, member.userId(), message.timestamp(), address, json));
        }
        return messages;
    }

    @Benchmark
    public final byte[] encode() {
        EntryBuilder<OutgoingMessage> builder = new EntryBuilder<>(MAX_BYTES, Position.MESSAGES_PER_ENTRY);
        for (OutgoingMessage message : messages) builder.add(message, message);
        return builder.encode(header);
    }

    @Benchmark
    public Object parse() {
        return LogEntry.parse(entry, ORIGIN, 7);
    }
}
