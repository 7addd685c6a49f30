package chat.log;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/**
 * A clock that only moves when it is stepped; its nanosecond time runs normally and is stepped as well. Thread-safe.
 */
final class SteppedClock extends Clock {
    private final Instant begin = Instant.now();
    private volatile Instant now = begin;

    void step(Duration by) {
        synchronized (this) {
            now = now.plus(by);
        }
    }

    long nanoTime() {
        return System.nanoTime() + Duration.between(begin, now).toNanos();
    }

    @Override
    public Instant instant() {
        return now;
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return this;
    }
}
