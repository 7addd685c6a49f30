package chat.load.lab.child;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Starts child processes and stops all of them on {@link #close} or when this JVM ends by Ctrl-C or SIGTERM, the last
 * one first. Thread-safe.
 */
public final class Children implements AutoCloseable {
    private final Set<Child> running = new LinkedHashSet<>();
    private final Thread hook = new Thread(this::stopAll, "stop children");
    private boolean closed;

    public Children() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** @throws IOException if the program does not exist or this JVM is shutting down */
    public synchronized Child start(Launch launch) throws IOException {
        if (closed) throw new IOException("stopping");
        running.removeIf(child -> !child.isAlive());
        Child child = Child.start(launch);
        running.add(child);
        return child;
    }

    /** Whether no process can be started any more. */
    public synchronized boolean isClosed() {
        return closed;
    }

    /** Returns when the child and its descendants have ended. */
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
            // The JVM is shutting down: the hook runs and finds nothing to stop.
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
