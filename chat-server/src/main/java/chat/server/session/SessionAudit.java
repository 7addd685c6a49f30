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
 * Looks for phantom sessions: known here without a connection, holding a place without being known, or counted by
 * a room after their end; and for connections that this process holds and the operating system has not, or the other way
 * round. Each is a bug, and would fill the server in time. What begins or ends just now is not held against anyone: only
 * what two checks in a row have found counts, and of LEAVEs only those that are later than a slow log may make them.
 */
public final class SessionAudit implements AutoCloseable {
    private static final Logger logger = LoggerFactory.getLogger(SessionAudit.class);
    private static final long PERIOD_SECONDS = 10;

    /** How often it has looked: tells what it saw before something from what it saw after it. */
    public final LongAdder audits = new LongAdder();

    private final Sessions sessions;
    private final ConnectionLimit limit;
    private final Rooms rooms;
    private final OpenConnections connections;
    private final KernelConnections kernel;
    private final ScheduledExecutorService loop = PartitionLoop.named("session-audit");
    private Set<ChatSession> withoutConnection = Set.of();
    private int placesBefore;
    private Set<InetSocketAddress> deadBefore = Set.of();
    private Set<InetSocketAddress> unknownBefore = Set.of();
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

    /** Sessions that are none, as the last two checks have found. Any thread. */
    public int phantoms() {
        return phantoms;
    }

    /** Connections to this server's port that the operating system has, at the last check; -1 where it does not tell. */
    public int connectionsAtKernel() {
        return connectionsAtKernel;
    }

    /** Looks now, as it does by itself every 10 s. Blocks; any thread but an event loop. */
    public synchronized void check() {
        Set<ChatSession> lost = sessions.all().stream()
                .filter(session -> !session.isConnected())
                .collect(Collectors.toSet());
        Set<ChatSession> still = new HashSet<>(lost);
        still.retainAll(withoutConnection);
        withoutConnection = lost;

        int places = limit.current() - sessions.count();
        int misplaced = Integer.signum(places) == Integer.signum(placesBefore)
                ? Math.min(Math.abs(places), Math.abs(placesBefore))
                : 0;
        placesBefore = places;

        int departed = rooms.overdueDepartures();
        int untrue = connectionsThatOneSideLacks();
        int found = still.size() + misplaced + departed + untrue;
        if (found > 0 && found != phantoms)
            logger.warn(
                    "{} sessions have lost their connection and are still known, {} places are taken by nobody or not "
                            + "counted, {} members are still in a room after their session has ended, {} connections are "
                            + "known here or to the operating system only",
                    still.size(),
                    misplaced,
                    departed,
                    untrue);
        phantoms = found;
        audits.increment(); // the last thing: what it found is there by then
    }

    /** By their clients' addresses and not by their number: where many come and go the numbers never agree. */
    private int connectionsThatOneSideLacks() {
        int port = connections.port();
        // What is opened between the two looks is in the second only: it is not there at both checks.
        Set<InetSocketAddress> here = connections.clients();
        Set<InetSocketAddress> there = port == 0 ? null : kernel.clientsOf(port);
        if (there == null) {
            connectionsAtKernel = -1;
            return 0;
        }
        connectionsAtKernel = there.size();
        Set<InetSocketAddress> dead = without(here, there);
        Set<InetSocketAddress> unknown = without(there, here);
        int lasting = common(dead, deadBefore) + common(unknown, unknownBefore);
        deadBefore = dead;
        unknownBefore = unknown;
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
