package chat.server.admission;

import chat.kit.admission.Rate;

/**
 * Limits how fast each user may join rooms.
 *
 * @param joins JOINs of any room
 * @param newRooms JOINs of rooms that this server does not know
 */
public record JoinRates(Rate joins, Rate newRooms) {
    /** No limits. */
    public static final JoinRates NONE = of(UserLimits.NONE, 1);

    /**
     * The burst covers a reconnect: a user joins all rooms of this many sockets at once, or of its socket limit if that
     * is higher.
     */
    private static final int SOCKETS = 20;

    /** A server that has just started knows few rooms, so the burst covers all rooms of a user and some new ones. */
    private static final int FULL_SESSIONS = 2;

    private static final int LARGEST_BURST = 1_000_000;

    /** @param maxRooms rooms that one session may join */
    public static JoinRates of(UserLimits limits, int maxRooms) {
        long sockets = Math.max(SOCKETS, limits.sockets());
        return new JoinRates(
                rate(limits.joinsPerMinute(), sockets * maxRooms),
                rate(limits.newRoomsPerMinute(), (long) FULL_SESSIONS * maxRooms));
    }

    private static Rate rate(int perMinute, long burst) {
        return new Rate(perMinute / 60.0, (int) Math.min(LARGEST_BURST, burst));
    }
}
