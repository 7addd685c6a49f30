package chat.load.plan;

import chat.protocol.RoomId;

/** Which of several servers a member connects to first. */
public enum Placement {
    /** Members are dealt out in turn, so every room has members on every server. */
    SPREAD,
    /** All members of a room begin on one server; rooms are dealt out in turn. */
    ROOM,
    /** All members of a room begin on the server of its partition, as behind a proxy that places by partition. */
    PARTITION;

    /**
     * @param group of rooms that share their clients
     * @param user within the group, guests included
     * @param room the first one of the group
     * @param partitions of the servers' log
     * @param urls how many servers there are
     * @return the index of the client's first server; after a loss it goes on to the next one
     */
    public int first(int group, int user, RoomId room, int partitions, int urls) {
        return switch (this) {
            case SPREAD -> (int) (((long) group + user) % urls);
            case ROOM -> group % urls;
            // With more servers than partitions a partition has several servers, and a room still one.
            case PARTITION -> room.partition(Math.max(partitions, urls)) % urls;
        };
    }
}
