package chat.server.session;

import chat.server.room.Lane;
import io.netty.channel.EventLoop;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** The {@link Lane} of each event loop. Thread-safe. */
public final class Lanes {
    private final Map<EventLoop, Lane> lanes = new ConcurrentHashMap<>();
    private final long maxBytes;
    private final LongAdder waits;

    /**
     * @param maxBytes of each lane
     * @param waits counts how often a partition had to wait for any of them
     */
    Lanes(long maxBytes, LongAdder waits) {
        this.maxBytes = maxBytes;
        this.waits = waits;
    }

    Lane of(EventLoop loop) {
        return lanes.computeIfAbsent(loop, it -> new Lane(it, maxBytes, waits));
    }

    /** Bytes of frames that event loops have not dealt with yet. */
    public long bytes() {
        long bytes = 0;
        for (Lane lane : lanes.values()) bytes += lane.bytes();
        return bytes;
    }
}
