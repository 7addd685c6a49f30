package chat.load.driver;

import chat.load.dialect.Dialect;
import chat.load.dialect.FrameReader;
import chat.load.report.Latencies;
import chat.load.report.MessageLines;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What all rooms of one event loop share; confined to it. */
final class Loop {
    final EventLoop events;
    final FrameReader reader;
    final FrameCache cache = new FrameCache();
    private Latencies latencies = new Latencies();
    private byte[] scratch = new byte[4096];

    private final @Nullable MessageLines log;

    Loop(EventLoop events, Dialect dialect, @Nullable MessageLines log) {
        this.events = events;
        this.log = log;
        this.reader = dialect.newReader();
    }

    Latencies latencies() {
        return latencies;
    }

    /** @return what was recorded since the last exchange */
    Latencies exchange(Latencies empty) {
        Latencies full = latencies;
        latencies = empty;
        return full;
    }

    /** Keeps a line of the list of messages, where one was asked for. */
    void log(String messageType, long latencyNanos, int status, String roomId) {
        if (log != null) log.add(messageType, latencyNanos, status, roomId);
    }

    /** At least this long; what it held is gone. */
    byte[] scratch(int length) {
        if (scratch.length < length) scratch = new byte[Math.max(length, 2 * scratch.length)];
        return scratch;
    }

    void after(long nanos, Runnable task) {
        ScheduledFuture<?> unused = events.schedule(task, Math.max(0, nanos), TimeUnit.NANOSECONDS);
    }
}
