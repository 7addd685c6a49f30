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

/** All sockets of this server. Thread-safe. */
public final class Sessions {
    private final Set<ChatSession> open = ConcurrentHashMap.newKeySet();
    private volatile boolean leaving;
    private volatile boolean stopping;

    /** Returns whether it may stay; it is closed where not. */
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

    /** Bytes that wait in all outboxes. */
    public long outboxBytes() {
        long bytes = 0;
        for (ChatSession session : open) bytes += session.outboxBytes();
        return bytes;
    }

    /**
     * Closes those for whom most waits to be sent: so many that they hold this many bytes, however many share a frame, together
     * with those that are being closed already.
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

    /** Says in {@code /health} from now on that this server is being stopped; sockets are taken and served as before. */
    public void announceStop() {
        leaving = true;
    }

    public boolean isStopping() {
        return leaving;
    }

    /** Those that are open now. */
    Set<ChatSession> all() {
        return Set.copyOf(open);
    }

    /**
     * Takes no more sockets and closes those there are, spread over some time so that they do not all come back at once.
     * Blocks until they are gone, or {@code longest} has passed; returns whether they are. Those who come meanwhile, over
     * connections made before, are sent away, and not waited for.
     */
    public boolean closeAll(Duration spread, Duration longest) throws InterruptedException {
        leaving = true;
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
