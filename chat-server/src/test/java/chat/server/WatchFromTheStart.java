package chat.server;

import org.junit.jupiter.api.extension.Extension;

/**
 * Installs the watches before any test has started a thread, or made a buffer: a thread that idles in a method of before is
 * not recognized as idle, and fails; a buffer of before is not tracked.
 */
public final class WatchFromTheStart implements Extension {
    public WatchFromTheStart() {
        BlockingCalls.watch();
        LeakedBuffers.watch();
        DroppedSignals.watch();
    }
}
