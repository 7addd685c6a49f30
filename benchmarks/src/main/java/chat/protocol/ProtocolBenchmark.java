package chat.protocol;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Measures decoding a TEXT of 100 characters and encoding its JSON, each done once per message. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ProtocolBenchmark {
    private final FrameDecoder decoder = new FrameDecoder(FrameRules.DEFAULT);
    private final RoomId room = new RoomId("room7");
    private final ChatMessage message = new ChatMessage(
            UUID.fromString("0199b7c0-3a1e-7d42-8f00-1234567890ab"),
            new Member("4711", "alice4711"),
            MessageType.TEXT,
            "x".repeat(100),
            1_763_632_800_123L);

    @Benchmark
    public List<?> decodeText(Frame frame) {
        return decoder.decode(frame.utf8, room);
    }

    @Benchmark
    public byte[] encodeMessage() {
        return MessageJson.encode(message);
    }

    /** Dates with a day that every month has, and one that only some months have. */
    @State(Scope.Thread)
    public static class Frame {
        @Param({"2026-11-20", "2026-10-31"})
        private String day = "";

        private byte[] utf8 = {};

        @Setup
        public void write() {
            utf8 = """
                    {"messageType":"TEXT","userId":"4711","username":"alice4711","message":"%s",\
                    "timestamp":"%sT10:00:00.123Z","messageId":"0199b7c0-3a1e-7d42-8f00-1234567890ab"}""".formatted("x".repeat(100), day).getBytes(StandardCharsets.UTF_8);
        }
    }
}
