package chat.server.room;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicReference;

/** Stands still until it is told to go on; as a measure of time it runs, and is stepped likewise. */
final class SteppedClock extends Clock {
    private static final Instant BEGIN = Instant.parse("2026-11-20T10:00:00Z");
    private final AtomicReference<Instant> now = new AtomicReference<>(BEGIN);

    void step(Duration by) {
        now.updateAndGet(before -> before.plus(by));
    }

    long nanoTime() {
        return System.nanoTime() + Duration.between(BEGIN, now.get()).toNanos();
    }

    @Override
    public Instant instant() {
        return now.get();
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        throw new UnsupportedOperationException();
    }
}
