package chat.load.child;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Starts child processes, and sees to it that none is left: {@link #close} stops those that run, the last one first, and
 * so does the end of this JVM, by Ctrl-C or SIGTERM. Thread-safe.
 */
public final class Children implements AutoCloseable {
    private final Set<Child> running = new LinkedHashSet<>();
    private final Thread hook = new Thread(this::stopAll, "stop children");
    private boolean closed;

    public Children() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** @throws IOException there is no such program, or this JVM is about to end */
    public synchronized Child start(Launch launch) throws IOException {
        if (closed) throw new IOException("stopping");
        running.removeIf(child -> !child.isAlive());
        Child child = Child.start(launch);
        running.add(child);
        return child;
    }

    /** Whether nothing can be started any more. */
    public synchronized boolean isClosed() {
        return closed;
    }

    /** Returns when it and all that it had started are gone. */
    public void stop(Child child) {
        child.stop();
        synchronized (this) {
            running.remove(child);
        }
    }

    @Override
    public void close() {
        stopAll();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shuttingDown) {
            // Then the hook runs, and finds nothing to do.
        }
    }

    private void stopAll() {
        List<Child> left;
        synchronized (this) {
            closed = true;
            left = new ArrayList<>(running);
        }
        for (Child last : left.reversed()) stop(last);
    }
}
