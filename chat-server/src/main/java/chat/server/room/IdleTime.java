package chat.server.room;

import java.util.function.LongSupplier;

/** For how long a partition has had nobody on this server. Confined to the partition's thread. */
final class IdleTime {
    private final long graceNanos;
    private final LongSupplier nanoTime;
    private final Runnable lasted;
    private long sinceNanos;

    /**
     * @param graceNanos 0: it lasts for ever
     * @param nanoTime as {@link System#nanoTime}
     * @param lasted called at each look at which it has lasted for the grace
     */
    IdleTime(long graceNanos, LongSupplier nanoTime, Runnable lasted) {
        this.graceNanos = graceNanos;
        this.nanoTime = nanoTime;
        this.lasted = lasted;
        this.sinceNanos = nanoTime.getAsLong();
    }

    /** To be called again and again. */
    void look(boolean vacant) {
        long now = nanoTime.getAsLong();
        if (!vacant) sinceNanos = now;
        else if (graceNanos > 0 && now - sinceNanos >= graceNanos) lasted.run();
    }
}
