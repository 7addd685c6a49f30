package chat.server.admission;

import chat.kit.admission.Rate;

/**
 * How fast each user may join rooms.
 *
 * @param joins of any room
 * @param newRooms of rooms that this server does not know
 */
public record JoinRates(Rate joins, Rate newRooms) {
    /** As fast as one likes. */
    public static final JoinRates NONE = of(UserLimits.NONE, 1);

    /** A user that reconnects joins all rooms of this many sockets at once, or of as many as it may have. */
    private static final int SOCKETS = 20;

    /** After its start a server knows few rooms: a user may join all of its rooms at once, and some new ones. */
    private static final int FULL_SESSIONS = 2;

    private static final int LARGEST_BURST = 1_000_000;

    /** @param maxRooms of one session */
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
