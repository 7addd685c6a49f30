package chat.server;

import chat.server.room.Rooms;
import chat.server.session.OpenConnections;
import chat.server.session.Sessions;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.ExitCodeGenerator;
import org.springframework.context.SmartLifecycle;

/**
 * Stops a chat server without losing messages: reports the stop in its health for load balancers, closes its port,
 * tells every client to reconnect elsewhere, and waits until all accepted messages are read back from the log. The exit
 * code is 0 if this was done in time.
 */
final class Drain implements SmartLifecycle, ExitCodeGenerator {
    /** Before the web server stops, which would cut the sockets without a close frame. */
    private static final int PHASE = Integer.MAX_VALUE - 512;

    /** Timeout for HTTP connections, and for sockets that were not closed in time. */
    private static final Duration LONGEST_CLOSE = Duration.ofSeconds(1);

    private static final Logger logger = LoggerFactory.getLogger(Drain.class);

    private final Listener listener;
    private final OpenConnections connections;
    private final Sessions sessions;
    private final Rooms rooms;
    private final DrainSettings settings;
    private volatile boolean running;
    private volatile boolean complete;

    Drain(Listener listener, OpenConnections connections, Sessions sessions, Rooms rooms, DrainSettings settings) {
        this.listener = listener;
        this.connections = connections;
        this.sessions = sessions;
        this.rooms = rooms;
        this.settings = settings;
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        sessions.announceStop();
        try {
            if (settings.announce().isPositive()) Thread.sleep(settings.announce());
            // First, so that clients do not reconnect to this server.
            listener.close();
            long deadline = System.nanoTime() + settings.timeout().toNanos();
            int count = sessions.count();
            boolean closed = sessions.closeAll(DrainSettings.SPREAD, settings.timeout());
            Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
            boolean drained = rooms.drain(left);
            complete = closed && drained;
            if (complete) logger.info("drained: {} sockets closed, nothing left to publish", count);
            else
                logger.warn(
                        "not drained in {}: {} sockets still open, log {}",
                        settings.timeout(),
                        sessions.count(),
                        drained ? "drained" : "not drained");
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            rooms.close();
            connections.closeAll(LONGEST_CLOSE);
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getExitCode() {
        return complete ? 0 : 1;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
