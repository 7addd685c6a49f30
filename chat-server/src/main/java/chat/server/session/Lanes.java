package chat.server.session;

import chat.server.room.Lane;
import io.netty.channel.EventLoop;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The {@link Lane} of each event loop. Thread-safe. */
final class Lanes {
    private final Map<EventLoop, Lane> lanes = new ConcurrentHashMap<>();
    private final long maxBytes;

    /** @param maxBytes of each lane */
    Lanes(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    Lane of(EventLoop loop) {
        return lanes.computeIfAbsent(loop, it -> new Lane(it, maxBytes));
    }
}
