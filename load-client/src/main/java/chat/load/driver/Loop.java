package chat.load.driver;

import chat.load.report.Latencies;
import io.netty.channel.EventLoop;

/** What all rooms of one event loop share; confined to it. */
final class Loop {
    final EventLoop events;
    final Latencies latencies = new Latencies();
    final FrameScanner scanner = new FrameScanner();
    private byte[] scratch = new byte[4096];

    Loop(EventLoop events) {
        this.events = events;
    }

    /** At least this long; what it held is gone. */
    byte[] scratch(int length) {
        if (scratch.length < length) scratch = new byte[Math.max(length, 2 * scratch.length)];
        return scratch;
    }
}
