package chat.server.room;

import chat.protocol.FrameRules;
import chat.protocol.RoomId;
import chat.server.presence.PresenceSettings;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.springframework.util.unit.DataSize;

/** Measures a leave while all members leave a room whose connections are on several event loops. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class LeavingBenchmark {
    private static final int MEMBERS = 5000;
    /** A prime, so that the next member to leave is elsewhere in the room and usually on another event loop. */
    private static final int STRIDE = 7919;

    @Param({"1", "4", "16", "64"})
    public int loops;

    private final Room room = new Room(
            new RoomId("room7"),
            new RoomSettings(
                    "here",
                    FrameRules.DEFAULT,
                    Duration.ofSeconds(25),
                    null,
                    new RoomLimits(DataSize.ofKilobytes(64), DataSize.ofMegabytes(1), 4096, Duration.ZERO, Set.of()),
                    10,
                    10_000,
                    Duration.ofMillis(250),
                    10,
                    Duration.ofSeconds(5),
                    2,
                    new CatchUpSettings(64 << 20, 8, 0),
                    PresenceSettings.DEFAULT),
            0,
            () -> 0);
    private final List<Membership> members = new ArrayList<>();

    @Setup
    public void make() {
        EmbeddedChannel channel = new EmbeddedChannel();
        List<EventLoopQueue> queues = new ArrayList<>();
        // Runs tasks of the event loop at once, so that both parts are measured.
        for (int i = 0; i < loops; i++) queues.add(new EventLoopQueue(Runnable::run, 1 << 20));
        for (int i = 0; i < MEMBERS; i++)
            members.add(new SwallowingMember(i, queues.get(i % loops), channel).membership());
    }

    @Setup(Level.Invocation)
    public void fill() {
        for (Membership member : members) {
            room.admit(member);
            room.finish(member);
        }
    }

    @Benchmark
    @OperationsPerInvocation(MEMBERS)
    public int leave() {
        int at = 0;
        for (int i = 0; i < MEMBERS; i++) {
            at = (at + STRIDE) % MEMBERS;
            room.remove(members.get(at));
        }
        return room.memberships();
    }
}
