package chat.server.session;

import chat.protocol.CloseCode;
import chat.server.room.SlowCause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/** Holds the open sessions of this server and closes them. Thread-safe. */
public final class Sessions {
    private final Set<ChatSession> open = ConcurrentHashMap.newKeySet();
    private volatile boolean stopAnnounced;
    private volatile boolean stopping;

    /** Adds a session. Closes it and returns false if the server is stopping. */
    boolean add(ChatSession session) {
        open.add(session);
        if (stopping) session.close(CloseCode.GOING_AWAY);
        return !stopping;
    }

    void remove(ChatSession session) {
        open.remove(session);
        if (!stopping) return;
        synchronized (open) {
            open.notifyAll();
        }
    }

    public int count() {
        return open.size();
    }

    /** Bytes that wait in all outboxes; a shared frame counts once per outbox. */
    public long outboxBytes() {
        long bytes = 0;
        for (ChatSession session : open) bytes += session.outboxBytes();
        return bytes;
    }

    /**
     * Closes the sessions with the largest backlogs until they, and the sessions already closing, hold this number of
     * bytes. A shared frame counts once per session.
     */
    void closeSlowest(long bytes) {
        record Slow(ChatSession session, long bytes) {}
        List<Slow> slowest = new ArrayList<>();
        long left = bytes;
        for (ChatSession session : open) {
            long held = session.heldBytes();
            if (!session.isOpen()) left -= held;
            else if (held > 0) slowest.add(new Slow(session, held));
        }
        slowest.sort(Comparator.comparingLong(Slow::bytes).reversed());
        for (Slow slow : slowest) {
            if (left <= 0) return;
            slow.session().closeSlow(SlowCause.TOTAL);
            left -= slow.bytes();
        }
    }

    /** Makes {@code /health} report that this server is stopping. It still accepts and serves sockets. */
    public void announceStop() {
        stopAnnounced = true;
    }

    public boolean isStopping() {
        return stopAnnounced;
    }

    /** A snapshot of the open sessions. */
    Set<ChatSession> all() {
        return Set.copyOf(open);
    }

    /**
     * Stops accepting sockets and closes the open ones, spread over time so that clients do not all reconnect at once.
     * Blocks until they have closed or {@code longest} has passed. Sockets that open during this on existing
     * connections are closed and not waited for.
     *
     * @return whether all have closed
     */
    public boolean closeAll(Duration spread, Duration longest) throws InterruptedException {
        stopAnnounced = true;
        stopping = true;
        List<ChatSession> sessions = new ArrayList<>(open);
        long spreadMillis = Math.min(spread.toMillis(), sessions.size());
        for (ChatSession session : sessions) {
            long delay = spreadMillis == 0 ? 0 : ThreadLocalRandom.current().nextLong(spreadMillis);
            session.closeAfter(delay, CloseCode.GOING_AWAY);
        }
        long deadline = System.nanoTime() + longest.toNanos();
        synchronized (open) {
            for (ChatSession session : sessions)
                while (open.contains(session)) {
                    long left = (deadline - System.nanoTime()) / 1_000_000;
                    if (left <= 0) return false;
                    open.wait(left);
                }
        }
        return true;
    }
}
