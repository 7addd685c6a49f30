package chat.server.intake;

import java.security.SecureRandom;
import java.time.Clock;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

/**
 * Creates UUIDs of version 7, which are ordered by time and so keep inserts into the database index cheap. They must be
 * unique, not secret: SecureRandom would block event loops on a lock and on the operating system. Thread-safe.
 */
public final class MessageIds implements Supplier<UUID> {
    private final Clock clock;
    /** Differs per server, in case two servers generate the same random numbers. */
    private final long saltHigh;

    private final long saltLow;

    public MessageIds(Clock clock) {
        this.clock = clock;
        SecureRandom secure = new SecureRandom();
        this.saltHigh = secure.nextLong();
        this.saltLow = secure.nextLong();
    }

    @Override
    public UUID get() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long high = clock.millis() << 16 | 0x7000 | ((random.nextLong() ^ saltHigh) & 0x0fff);
        long low = 0x8000_0000_0000_0000L | ((random.nextLong() ^ saltLow) >>> 2);
        return new UUID(high, low);
    }
}
