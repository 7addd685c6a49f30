package chat.server.room;

import io.github.bucket4j.TimeMeter;
import java.util.function.LongSupplier;

/** The clock of token buckets, by {@link System#nanoTime} or a stepped clock. */
record NanoMeter(LongSupplier nanoTime) implements TimeMeter {
    @Override
    public long currentTimeNanos() {
        return nanoTime.getAsLong();
    }

    @Override
    public boolean isWallClockBased() {
        return false;
    }
}
