package chat.server.admission;

import io.github.bucket4j.TimeMeter;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that only the test advances. */
public final class SteppedMeter implements TimeMeter {
    private final AtomicLong nanos = new AtomicLong();

    public void step(Duration by) {
        nanos.addAndGet(by.toNanos());
    }

    void stepTo(long at) {
        nanos.set(at);
    }

    @Override
    public long currentTimeNanos() {
        return nanos.get();
    }

    @Override
    public boolean isWallClockBased() {
        return false;
    }
}
