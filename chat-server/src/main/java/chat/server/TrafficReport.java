package chat.server;

import chat.log.LineFields;
import chat.log.LogCounters;
import chat.log.PartitionLoop;
import chat.protocol.CloseCode;
import chat.protocol.ErrorCode;
import chat.server.intake.IntakeCounters;
import chat.server.room.RoomCounters;
import chat.server.session.SessionCounters;
import chat.server.session.Sessions;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says now and then, in one line of the server's log, what goes through it; nothing where nothing has. */
final class TrafficReport implements AutoCloseable {
    private static final Logger logger = LoggerFactory.getLogger(TrafficReport.class);
    private static final double SECOND_NANOS = 1e9;

    private final Sessions sessions;
    private final SessionCounters sockets;
    private final IntakeCounters intake;
    private final RoomCounters rooms;
    private final LogCounters log;
    private final LongSupplier nanoTime;
    private final ScheduledExecutorService loop = PartitionLoop.named("traffic-report");
    private Counts before;
    private long beforeNanos;

    /** Of what happened since the server's start. */
    private record Counts(
            long accepted,
            long refused,
            long delivered,
            long opened,
            long ended,
            long turnedAway,
            long closedSlow,
            long resubscribed) {

        Counts since(Counts earlier) {
            return new Counts(
                    accepted - earlier.accepted,
                    refused - earlier.refused,
                    delivered - earlier.delivered,
                    opened - earlier.opened,
                    ended - earlier.ended,
                    turnedAway - earlier.turnedAway,
                    closedSlow - earlier.closedSlow,
                    resubscribed - earlier.resubscribed);
        }
    }

    /** @param nanoTime as {@link System#nanoTime} */
    TrafficReport(
            Sessions sessions,
            SessionCounters sockets,
            IntakeCounters intake,
            RoomCounters rooms,
            LogCounters log,
            LongSupplier nanoTime) {
        this.sessions = sessions;
        this.sockets = sockets;
        this.intake = intake;
        this.rooms = rooms;
        this.log = log;
        this.nanoTime = nanoTime;
        this.before = counts();
        this.beforeNanos = nanoTime.getAsLong();
    }

    /** @param period between two lines; zero: there are none */
    TrafficReport start(Duration period) {
        if (period.isZero()) return this;
        long millis = period.toMillis();
        loop.scheduleWithFixedDelay(this::say, millis, millis, TimeUnit.MILLISECONDS);
        return this;
    }

    /** One line about the time since the last call; one call at a time. */
    void say() {
        Counts now = counts();
        long nanos = nanoTime.getAsLong();
        Counts news = now.since(before);
        double seconds = (nanos - beforeNanos) / SECOND_NANOS;
        boolean nothing = now.equals(before);
        before = now;
        beforeNanos = nanos;
        if (nothing || seconds <= 0) return;
        int open = sessions.count();
        long memberships = rooms.memberships.sum();
        double accepted = perSecond(news.accepted, seconds);
        double refused = perSecond(news.refused, seconds);
        double delivered = perSecond(news.delivered, seconds);
        logger.atInfo()
                .addKeyValue(LineFields.SESSIONS, open)
                .addKeyValue(LineFields.MEMBERSHIPS, memberships)
                .addKeyValue(LineFields.ACCEPTED_PER_SECOND, accepted)
                .addKeyValue(LineFields.REFUSED_PER_SECOND, refused)
                .addKeyValue(LineFields.DELIVERIES_PER_SECOND, delivered)
                .addKeyValue(LineFields.CLOSED_SLOW, news.closedSlow)
                .log(
                        "{} sessions, {} memberships; a second: {} messages accepted, {} refused, {} deliveries; sockets: {} "
                                + "opened, {} ended, {} turned away, {} closed as slow; the log was subscribed to anew {} times",
                        open,
                        memberships,
                        accepted,
                        refused,
                        delivered,
                        news.opened,
                        news.ended,
                        news.turnedAway,
                        news.closedSlow,
                        news.resubscribed);
    }

    /** To a tenth. */
    private static double perSecond(long count, double seconds) {
        return Math.round(count * 10 / seconds) / 10.0;
    }

    private Counts counts() {
        return new Counts(
                log.accepted.sum(),
                Arrays.stream(ErrorCode.values())
                        .mapToLong(code -> intake.byCode(code).sum())
                        .sum(),
                rooms.delivered.sum(),
                sockets.opened.sum(),
                sockets.ended.sum(),
                sockets.turnedAway.sum(),
                sockets.byCode(CloseCode.SLOW).sum(),
                log.resubscribed.sum());
    }

    @Override
    public void close() {
        loop.shutdownNow();
    }
}
