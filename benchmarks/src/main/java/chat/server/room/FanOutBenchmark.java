package chat.server.room;

import chat.protocol.RoomId;
import io.netty.buffer.ByteBuf;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import reactor.core.publisher.Sinks;

/**
 * Measures sending one frame to all members of a room, from the partition's thread to the connections of two event
 * loops. Time and bytes are per frame; a burst of frames is in flight at once, and the measurement ends when the last
 * is written.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class FanOutBenchmark {
    private static final int BURST = 64;
    private static final int LOOPS = 2;
    private static final long LANE_BYTES = 64L << 20;

    @Param({"50", "1000"})
    public int members;

    private final List<EventLoop> loops = new ArrayList<>();
    private final List<LoopMembers> audiences = new ArrayList<>();
    private final Sinks.Many<Room.Publication> loopSink =
            Sinks.unsafe().many().multicast().directBestEffort();
    private final Sinks.Many<ByteBuf> sink = Sinks.unsafe().many().multicast().directBestEffort();
    private ByteBuf frame;

    @Setup
    public void open() throws InterruptedException {
        for (int i = 0; i < LOOPS; i++) {
            EventLoop loop = new DefaultEventLoop();
            loops.add(loop);
            LoopMembers audience = new LoopMembers(new EventLoopQueue(loop, LANE_BYTES));
            audiences.add(audience);
            loopSink.asFlux().subscribe(audience);
        }
        for (int i = 0; i < members; i++) {
            LoopMembers audience = audiences.get(i % LOOPS);
            SwallowingChannel channel = new SwallowingChannel();
            loops.get(i % LOOPS).register(channel).sync();
            SwallowingMember member = new SwallowingMember(i, audience.queue, channel);
            audience.add(member.membership());
            sink.asFlux().subscribe(new SinkMember(member));
        }
        List<ByteBuf> frames = new ArrayList<>();
        Frames.messages(new RoomId("room7"), FramesBenchmark.messages(), frames::add);
        frame = frames.getFirst();
    }

    @TearDown
    public void close() {
        for (EventLoop loop : loops)
            loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
        if (!frame.release()) throw new IllegalStateException("the frame is still referenced");
    }

    /** The current design: the room's sink passes the frame once to each event loop, which knows its members. */
    @Benchmark
    @OperationsPerInvocation(BURST)
    public void sinkOfLoops() throws InterruptedException {
        for (int i = 0; i < BURST; i++) {
            FanOut out = new FanOut();
            loopSink.tryEmitNext(new Room.Publication(frame, out)).orThrow();
            out.submit();
        }
        awaitLoops();
    }

    /** The same without the sink. */
    @Benchmark
    @OperationsPerInvocation(BURST)
    public void queues() throws InterruptedException {
        for (int i = 0; i < BURST; i++) {
            FanOut out = new FanOut();
            for (LoopMembers audience : audiences) out.add(audience, frame);
            out.submit();
        }
        awaitLoops();
    }

    /** A sink that passes the frame to each member, which queues it and wakes its event loop. */
    @Benchmark
    @OperationsPerInvocation(BURST)
    public void sink() throws InterruptedException {
        for (int i = 0; i < BURST; i++) sink.emitNext(frame, Sinks.EmitFailureHandler.FAIL_FAST);
        awaitLoops();
    }

    private void awaitLoops() throws InterruptedException {
        CountDownLatch written = new CountDownLatch(LOOPS);
        for (EventLoop loop : loops) loop.execute(written::countDown);
        written.await();
    }
}
