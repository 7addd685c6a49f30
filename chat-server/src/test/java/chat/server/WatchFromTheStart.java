package chat.server;

import org.junit.jupiter.api.extension.Extension;

/**
 * Installs the watch over blocking calls before any test has started a thread: one that idles in a method of before is
 * not recognized as idle, and fails.
 */
public final class WatchFromTheStart implements Extension {
    public WatchFromTheStart() {
        BlockingCalls.watch();
    }
}
