package chat.load.plan;

/** Which of several servers a member connects to first. */
public enum Placement {
    /** Members are dealt out in turn, so every room has members on every server. */
    SPREAD,
    /** All members of a room begin on one server. */
    ROOM;

    /**
     * @param group of rooms that share their clients
     * @param user within the group, guests included
     * @param urls how many servers there are
     * @return the index of the client's first server; after a loss it goes on to the next one
     */
    public int first(int group, int user, int urls) {
        return switch (this) {
            case SPREAD -> (int) (((long) group + user) % urls);
            case ROOM -> group % urls;
        };
    }
}
