package chat.kit.admission;

import io.github.bucket4j.TimeMeter;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Advances only when a test steps it. */
final class SteppedMeter implements TimeMeter {
    private final AtomicLong nanos = new AtomicLong();

    void step(Duration by) {
        nanos.addAndGet(by.toNanos());
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
