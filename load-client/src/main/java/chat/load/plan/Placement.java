package chat.load.plan;

/** Which of several servers a member connects to first. */
public enum Placement {
    /** Members are dealt out in turn, so every room has members on every server. */
    SPREAD,
    /** All members of a room begin on one server. */
    ROOM;

    /**
     * @param urls how many servers there are
     * @return the index of the member's first server; after a loss it goes on to the next one
     */
    public int first(int room, int user, int users, int urls) {
        return switch (this) {
            case SPREAD -> (int) (((long) room * users + user) % urls);
            case ROOM -> room % urls;
        };
    }
}
