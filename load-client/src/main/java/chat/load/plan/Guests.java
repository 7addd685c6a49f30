package chat.load.plan;

import java.time.Duration;

/**
 * Defines connections that only listen, besides the members, distributed over the rooms.
 *
 * @param count total number
 * @param perSecond arrivals per second from the beginning of the chat; applies to visitors
 * @param stay how long each stays; applies to visitors
 * @param within deadline for a server to close a misbehaving connection
 */
public record Guests(Kind kind, int count, double perSecond, Duration stay, Duration within) {
    public static final Guests NONE = new Guests(Kind.NONE, 0, 0, Duration.ZERO, Duration.ZERO);

    public enum Kind {
        NONE,
        /** Arrive, listen for a while, and leave properly. */
        VISITORS,
        /** Stop reading from their sockets when the chat begins. */
        SLOW_READERS,
        /** Never answer a ping. */
        SILENT
    }

    public Guests {
        if (kind == Kind.NONE ? count != 0 : count < 0)
            throw new IllegalArgumentException("guests must not be negative");
        if (kind == Kind.VISITORS && (!(perSecond > 0) || stay.isNegative() || stay.isZero()))
            throw new IllegalArgumentException("visitors need a rate and a stay above 0");
        if (misbehave(kind) && (within.isNegative() || within.isZero()))
            throw new IllegalArgumentException("within must be above 0");
    }

    /** As many visitors as arrive in {@code duration}. */
    public static Guests visitors(double perSecond, Duration stay, Duration duration) {
        long count = (long) Math.floor(perSecond * duration.toNanos() / 1e9);
        if (count > 10_000_000) throw new IllegalArgumentException("so many visitors are too many: " + count);
        return new Guests(Kind.VISITORS, (int) count, perSecond, stay, Duration.ZERO);
    }

    /** Whether a server is expected to close the connections. */
    public boolean misbehave() {
        return misbehave(kind);
    }

    private static boolean misbehave(Kind kind) {
        return kind == Kind.SLOW_READERS || kind == Kind.SILENT;
    }

    /** Arrival time of a visitor, after the chat's beginning. */
    public long arrivesNanos(int guest) {
        return new Pacing.Rate(perSecond).dueNanos(guest);
    }
}
