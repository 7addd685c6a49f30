package chat.server.admission;

/**
 * Limits of one user on one server; they apply if the server requires tokens.
 *
 * @param sockets at once, 1 to 100,000; 0: not limited
 * @param newRoomsPerMinute JOINs of rooms that this server does not know, sustained, 1 to 60,000; 0: not limited
 * @param joinsPerMinute JOINs, sustained, 1 to 60,000; 0: not limited
 */
public record UserLimits(int sockets, int newRoomsPerMinute, int joinsPerMinute) {
    /** No limits. */
    public static final UserLimits NONE = new UserLimits(0, 0, 0);

    private static final int MOST_SOCKETS = 100_000;
    private static final int MOST_PER_MINUTE = 60_000;

    public UserLimits {
        within("sockets", sockets, MOST_SOCKETS);
        within("new-rooms-per-minute", newRoomsPerMinute, MOST_PER_MINUTE);
        within("joins-per-minute", joinsPerMinute, MOST_PER_MINUTE);
    }

    private static void within(String name, int value, int most) {
        if (value < 0 || value > most)
            throw new IllegalArgumentException(name + " must be 1 to " + most + ", or 0 for no limit, not " + value);
    }
}
