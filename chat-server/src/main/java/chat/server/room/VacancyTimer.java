package chat.server.room;

import java.util.function.LongSupplier;

/** Measures how long a partition has had no members on this server. Confined to the partition's thread. */
final class VacancyTimer {
    private final long graceNanos;
    private final LongSupplier nanoTime;
    private final Runnable lasted;
    private long sinceNanos;

    /**
     * @param graceNanos time without members that triggers the callback; 0: never
     * @param nanoTime as {@link System#nanoTime}
     * @param lasted called at each {@link #look} after that time
     */
    VacancyTimer(long graceNanos, LongSupplier nanoTime, Runnable lasted) {
        this.graceNanos = graceNanos;
        this.nanoTime = nanoTime;
        this.lasted = lasted;
        this.sinceNanos = nanoTime.getAsLong();
    }

    /** Must be called regularly. */
    void look(boolean vacant) {
        long now = nanoTime.getAsLong();
        if (!vacant) sinceNanos = now;
        else if (graceNanos > 0 && now - sinceNanos >= graceNanos) lasted.run();
    }
}
