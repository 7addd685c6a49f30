package chat.server.session;

import chat.log.PartitionLoop;
import chat.server.limit.ConnectionLimit;
import chat.server.room.Rooms;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for sessions that are none: known here without a connection, holding a place without being known, or counted by
 * a room after their end. Each is a bug, and would fill the server in time. What ends just now is not held against
 * anyone: only what two checks in a row have found counts.
 */
public final class SessionAudit implements AutoCloseable {
    private static final Logger logger = LoggerFactory.getLogger(SessionAudit.class);
    private static final long PERIOD_SECONDS = 10;

    private final Sessions sessions;
    private final ConnectionLimit limit;
    private final Rooms rooms;
    private final ScheduledExecutorService loop = PartitionLoop.named("session-audit");
    private Set<ChatSession> withoutConnection = Set.of();
    private int placesBefore;
    private volatile int phantoms;

    SessionAudit(Sessions sessions, ConnectionLimit limit, Rooms rooms) {
        this.sessions = sessions;
        this.limit = limit;
        this.rooms = rooms;
    }

    SessionAudit start() {
        loop.scheduleWithFixedDelay(this::check, PERIOD_SECONDS, PERIOD_SECONDS, TimeUnit.SECONDS);
        return this;
    }

    /** Sessions that are none, as the last two checks have found. Any thread. */
    public int phantoms() {
        return phantoms;
    }

    synchronized void check() {
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
        int found = still.size() + misplaced + departed;
        if (found > 0 && found != phantoms)
            logger.warn(
                    "{} sessions have lost their connection and are still known, {} places are taken by nobody or not "
                            + "counted, {} members are still in a room after their session has ended",
                    still.size(),
                    misplaced,
                    departed);
        phantoms = found;
    }

    @Override
    public void close() {
        loop.shutdownNow();
    }
}
