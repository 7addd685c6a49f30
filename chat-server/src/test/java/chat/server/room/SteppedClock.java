package chat.server.room;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicReference;

/** A clock that only the test advances; also measures time for rate limits. */
public final class SteppedClock extends Clock {
    private static final Instant BEGIN = Instant.parse("2026-11-20T10:00:00Z");
    private final AtomicReference<Instant> now = new AtomicReference<>(BEGIN);
    private final AtomicReference<Duration> passed = new AtomicReference<>(Duration.ZERO);

    /** So much time passes. */
    public void step(Duration by) {
        passed.updateAndGet(before -> before.plus(by));
        turn(by);
    }

    /** Sets the wall clock; no time passes. */
    public void turn(Duration by) {
        now.updateAndGet(before -> before.plus(by));
    }

    public long nanoTime() {
        return System.nanoTime() + passed.get().toNanos();
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
