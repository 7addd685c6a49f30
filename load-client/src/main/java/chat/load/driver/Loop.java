package chat.load.driver;

import chat.load.dialect.Dialect;
import chat.load.dialect.FrameReader;
import chat.load.report.Latencies;
import chat.load.report.MessageLines;
import chat.load.report.TenSecondCounts;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Holds state that all rooms of one event loop share; confined to that loop. */
final class Loop {
    final EventLoop events;
    final FrameReader reader;
    final FrameCache cache = new FrameCache();
    final TenSecondCounts counts = new TenSecondCounts();
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

    /** @return latencies recorded since the last exchange */
    Latencies exchange(Latencies empty) {
        Latencies full = latencies;
        latencies = empty;
        return full;
    }

    /** Adds a line to the message list, if one was requested. */
    void log(String messageType, long latencyNanos, int status, String roomId) {
        if (log != null) log.add(messageType, latencyNanos, status, roomId);
    }

    /** Returns a buffer of at least this length; its previous content is lost. */
    byte[] scratch(int length) {
        if (scratch.length < length) scratch = new byte[Math.max(length, 2 * scratch.length)];
        return scratch;
    }

    void after(long nanos, Runnable task) {
        ScheduledFuture<?> unused = events.schedule(task, Math.max(0, nanos), TimeUnit.NANOSECONDS);
    }
}
