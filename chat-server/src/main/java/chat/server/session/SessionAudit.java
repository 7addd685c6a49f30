package chat.server.session;

import chat.log.PartitionLoop;
import chat.server.admission.ConnectionLimit;
import chat.server.room.Rooms;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds leaked sessions and connections, each of which is a bug that fills the server in time:
 *
 * <ul>
 *   <li>sessions without a connection,
 *   <li>slots of the {@link ConnectionLimit} without a session, or sessions without a slot,
 *   <li>members that a room counts after their session has ended, once their LEAVE is later than a slow log explains,
 *   <li>connections that only this process or only the operating system knows.
 * </ul>
 *
 * <p>A finding counts only if two checks in a row see it, so sessions that begin or end during a check do not count.
 */
public final class SessionAudit implements AutoCloseable {
    private static final Logger logger = LoggerFactory.getLogger(SessionAudit.class);
    private static final long PERIOD_SECONDS = 10;

    /** Number of completed checks. */
    public final LongAdder audits = new LongAdder();

    private final Sessions sessions;
    private final ConnectionLimit limit;
    private final Rooms rooms;
    private final OpenConnections connections;
    private final KernelConnections kernel;
    private final ScheduledExecutorService loop = PartitionLoop.named("session-audit");
    private Set<ChatSession> withoutConnection = Set.of();
    private int slotsBefore;
    private Set<InetSocketAddress> onlyHereBefore = Set.of();
    private Set<InetSocketAddress> onlyKernelBefore = Set.of();
    private volatile int phantoms;
    private volatile int connectionsAtKernel = -1;

    SessionAudit(
            Sessions sessions,
            ConnectionLimit limit,
            Rooms rooms,
            OpenConnections connections,
            KernelConnections kernel) {
        this.sessions = sessions;
        this.limit = limit;
        this.rooms = rooms;
        this.connections = connections;
        this.kernel = kernel;
    }

    SessionAudit start() {
        loop.scheduleWithFixedDelay(this::check, PERIOD_SECONDS, PERIOD_SECONDS, TimeUnit.SECONDS);
        return this;
    }

    /** Number of leaks that the last two checks found. Any thread. */
    public int phantoms() {
        return phantoms;
    }

    /** Connections to this server's port known to the operating system at the last check; -1: unknown. Any thread. */
    public int connectionsAtKernel() {
        return connectionsAtKernel;
    }

    /** Checks now; runs by itself every 10 s. Blocks: never call it on an event loop. */
    public synchronized void check() {
        Set<ChatSession> lost = sessions.all().stream()
                .filter(session -> !session.isConnected())
                .collect(Collectors.toSet());
        Set<ChatSession> leaked = new HashSet<>(lost);
        leaked.retainAll(withoutConnection);
        withoutConnection = lost;

        int slots = limit.current() - sessions.count();
        int leakedSlots = Integer.signum(slots) == Integer.signum(slotsBefore)
                ? Math.min(Math.abs(slots), Math.abs(slotsBefore))
                : 0;
        slotsBefore = slots;

        int departed = rooms.overdueDepartures();
        int mismatched = mismatchedConnections();
        int found = leaked.size() + leakedSlots + departed + mismatched;
        if (found > 0 && found != phantoms)
            logger.warn(
                    "The session audit found leaks: {} sessions without a connection, {} connection slots without a "
                            + "session or the reverse, {} members in a room after their session ended, {} connections "
                            + "known only to this process or only to the operating system",
                    leaked.size(),
                    leakedSlots,
                    departed,
                    mismatched);
        phantoms = found;
        audits.increment(); // last, so that the results are visible to a reader of this counter
    }

    /** Compares addresses instead of counts: counts never agree while clients connect and disconnect. */
    private int mismatchedConnections() {
        int port = connections.port();
        // A connection that opens between these two lines is only in the second set; the next check clears it.
        Set<InetSocketAddress> held = connections.clients();
        Set<InetSocketAddress> known = port == 0 ? null : kernel.clientsOf(port);
        if (known == null) {
            connectionsAtKernel = -1;
            return 0;
        }
        connectionsAtKernel = known.size();
        Set<InetSocketAddress> onlyHere = without(held, known);
        Set<InetSocketAddress> onlyKernel = without(known, held);
        int lasting = common(onlyHere, onlyHereBefore) + common(onlyKernel, onlyKernelBefore);
        onlyHereBefore = onlyHere;
        onlyKernelBefore = onlyKernel;
        return lasting;
    }

    private static Set<InetSocketAddress> without(Set<InetSocketAddress> all, Set<InetSocketAddress> some) {
        return all.stream().filter(one -> !some.contains(one)).collect(Collectors.toSet());
    }

    private static int common(Set<InetSocketAddress> some, Set<InetSocketAddress> others) {
        return Math.toIntExact(some.stream().filter(others::contains).count());
    }

    @Override
    public void close() {
        loop.shutdownNow();
    }
}
