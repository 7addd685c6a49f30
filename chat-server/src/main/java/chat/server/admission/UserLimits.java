package chat.server.admission;

/**
 * Limits of one user on one server; they apply if the server requires tokens.
 *
 * @param sockets maximum number of sockets, 1 to 100,000; 0: unlimited
 * @param newRoomsPerMinute sustained JOINs of rooms unknown to the server, 1 to 60,000; 0: unlimited
 * @param joinsPerMinute sustained JOINs, 1 to 60,000; 0: unlimited
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
