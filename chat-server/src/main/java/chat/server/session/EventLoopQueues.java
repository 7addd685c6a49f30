package chat.server.session;

import chat.server.room.EventLoopQueue;
import io.netty.channel.EventLoop;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Holds the {@link EventLoopQueue} of each event loop. Thread-safe. */
public final class EventLoopQueues {
    private final Map<EventLoop, EventLoopQueue> queues = new ConcurrentHashMap<>();
    private final long maxBytes;
    private final LongAdder waits;

    /**
     * @param maxBytes limit of each queue
     * @param waits counts how often a partition had to wait for any queue
     */
    EventLoopQueues(long maxBytes, LongAdder waits) {
        this.maxBytes = maxBytes;
        this.waits = waits;
    }

    EventLoopQueue of(EventLoop loop) {
        return queues.computeIfAbsent(loop, key -> new EventLoopQueue(key, maxBytes, waits));
    }

    /** Bytes of frames that event loops have not taken yet. */
    public long bytes() {
        long bytes = 0;
        for (EventLoopQueue queue : queues.values()) bytes += queue.bytes();
        return bytes;
    }
}
