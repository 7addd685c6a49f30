package chat.server.intake;

import java.security.SecureRandom;
import java.time.Clock;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

/**
 * Makes ids of version 7: in the order of time, which the database's key likes. Thread-safe. They need to be unique, not
 * secret: a secure random per id would read from the system, on an event loop and under a lock.
 */
public final class MessageIds implements Supplier<UUID> {
    private final Clock clock;
    /** Another one for each server, should the random numbers of two ever be the same. */
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
