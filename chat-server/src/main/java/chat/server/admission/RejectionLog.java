package chat.server.admission;

import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Logs rejections as at most one JSON line per second, with the last reason, what was measured, and the number of
 * rejections since the previous line. Only overload is a warning: otherwise any client could fill the log with warnings.
 * Thread-safe.
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

    void rejected(Rejection rejection) {
        sinceLast.incrementAndGet();
        long now = nanoClock.getAsLong();
        long planned = due.get();
        if (now - planned < 0 || !due.compareAndSet(planned, now + PERIOD_NANOS)) return;
        boolean overloaded = rejection.status() == 503;
        String detail = rejection.detail();
        logger.atLevel(overloaded ? Level.WARN : Level.INFO)
                .log(
                        "{\"current_connections\":{},\"max_connections\":{},\"reason\":\"{}\"{},\"refused\":{},\"message\":\"{}\"{}}",
                        connections.current(),
                        connections.max(),
                        rejection.reason(),
                        fields(rejection.measured()),
                        sinceLast.getAndSet(0),
                        overloaded ? "Server overloaded" : "No socket for this client",
                        detail == null ? "" : ",\"detail\":" + Problem.quoted(detail));
    }

    private static String fields(Rejection.@Nullable Measured measured) {
        return measured == null
                ? ""
                : String.format(
                        Locale.ROOT,
                        ",\"reading\":%.2f,\"high\":%.2f,\"low\":%.2f",
                        measured.reading(),
                        measured.high(),
                        measured.low());
    }
}
