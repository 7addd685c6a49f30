package chat.server.admission;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Says who is turned away: one line of JSON a second at most, however many there are, with the reason of the last and how
 * many there were since the line before. Only this server's own state is worth a warning: anybody on the internet could
 * fill the log with warnings about others. Thread-safe.
 */
final class RejectionLog {
    private static final Logger logger = LoggerFactory.getLogger(RejectionLog.class);
    private static final long PERIOD_NANOS = 1_000_000_000;

    private final ConnectionLimit connections;
    private final LongSupplier nanoClock;
    private final AtomicLong due;
    private final AtomicLong sinceLast = new AtomicLong();

    RejectionLog(ConnectionLimit connections, LongSupplier nanoClock) {
        this.connections = connections;
        this.nanoClock = nanoClock;
        this.due = new AtomicLong(nanoClock.getAsLong());
    }

    void refused(Rejection refusal) {
        sinceLast.incrementAndGet();
        long now = nanoClock.getAsLong();
        long planned = due.get();
        if (now - planned < 0 || !due.compareAndSet(planned, now + PERIOD_NANOS)) return;
        boolean overloaded = refusal.status() == 503;
        String detail = refusal.detail();
        logger.atLevel(overloaded ? Level.WARN : Level.INFO)
                .log(
                        "{\"current_connections\":{},\"max_connections\":{},\"reason\":\"{}\",\"refused\":{},\"message\":\"{}\"{}}",
                        connections.current(),
                        connections.max(),
                        refusal.reason(),
                        sinceLast.getAndSet(0),
                        overloaded ? "Server overloaded" : "No socket for this client",
                        detail == null ? "" : ",\"detail\":" + Problem.quoted(detail));
    }
}
