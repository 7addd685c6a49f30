package chat.server.room;

import chat.protocol.RoomId;
import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import reactor.core.publisher.Sinks;

/** Measures a member leaving and rejoining a room of many members, and finding one of many rooms. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class MembersBenchmark {
    /** A prime, so that members from all parts of the room are selected. */
    private static final int STRIDE = 7919;

    @Param({"50", "1000", "5000"})
    public int size;

    /** Runs tasks of the event loop at once, so that both directions are measured on one thread. */
    private final LoopMembers audience = new LoopMembers(new EventLoopQueue(Runnable::run, 1 << 20));

    private final Sinks.Many<ByteBuf> sink = Sinks.unsafe().many().multicast().directBestEffort();
    private final List<SwallowingMember> members = new ArrayList<>();
    private final List<SinkMember> subscriptions = new ArrayList<>();
    private final Map<RoomId, LoopMembers> rooms = new HashMap<>();
    private final List<RoomId> lookedFor = new ArrayList<>();
    private int at;

    @Setup
    public void fill() {
        EmbeddedChannel channel = new EmbeddedChannel();
        for (int i = 0; i < size; i++) {
            SwallowingMember member = new SwallowingMember(i, audience.queue, channel);
            members.add(member);
            audience.add(member.membership());
            subscriptions.add(subscribe(member));
            rooms.put(new RoomId("room" + i), audience);
            lookedFor.add(new RoomId("room" + i));
        }
        lookedFor.addAll(
                rooms.keySet().stream().map(room -> new RoomId(room.value())).toList());
    }

    private SinkMember subscribe(SwallowingMember member) {
        SinkMember subscription = new SinkMember(member);
        sink.asFlux().subscribe(subscription);
        return subscription;
    }

    private int next() {
        at = (at + STRIDE) % size;
        return at;
    }

    @Benchmark
    public void audience() {
        Membership membership = members.get(next()).membership();
        audience.remove(membership);
        audience.add(membership);
    }

    @Benchmark
    public void sink() {
        int which = next();
        subscriptions.get(which).dispose();
        subscriptions.set(which, subscribe(members.get(which)));
    }

    /** Looks up a name as read from the log: an equal but different object. */
    @Benchmark
    public @Nullable Object findRoom() {
        return rooms.get(lookedFor.get(next()));
    }
}
