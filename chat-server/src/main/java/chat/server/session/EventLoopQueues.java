package chat.server.session;

import chat.server.room.EventLoopQueue;
import io.netty.channel.EventLoop;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** The {@link EventLoopQueue} of each event loop. Thread-safe. */
public final class EventLoopQueues {
    private final Map<EventLoop, EventLoopQueue> lanes = new ConcurrentHashMap<>();
    private final long maxBytes;
    private final LongAdder waits;

    /**
     * @param maxBytes of each lane
     * @param waits counts how often a partition had to wait for any of them
     */
    EventLoopQueues(long maxBytes, LongAdder waits) {
        this.maxBytes = maxBytes;
        this.waits = waits;
    }

    EventLoopQueue of(EventLoop loop) {
        return lanes.computeIfAbsent(loop, it -> new EventLoopQueue(it, maxBytes, waits));
    }

    /** Bytes of frames that event loops have not dealt with yet. */
    public long bytes() {
        long bytes = 0;
        for (EventLoopQueue queue : lanes.values()) bytes += queue.bytes();
        return bytes;
    }
}
