package chat.log;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** A clock that stands still until it is stepped; any thread. */
final class SteppedClock extends Clock {
    private volatile Instant now = Instant.now();

    void step(Duration by) {
        synchronized (this) {
            now = now.plus(by);
        }
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
