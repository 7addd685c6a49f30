package chat.load.plan;

import chat.protocol.RoomId;

/** Selects the server that a member connects to first. */
public enum Placement {
    /** Members are distributed round-robin, so every room has members on every server. */
    SPREAD,
    /** All members of a room begin on one server; rooms are distributed round-robin. */
    ROOM,
    /** All members of a room begin on the server of its partition, as behind a proxy that routes by partition. */
    PARTITION;

    /**
     * @param group index of the rooms that share their clients
     * @param user index within the group, guests included
     * @param room the first room of the group
     * @param partitions of the servers' log
     * @param urls number of servers
     * @return the index of the client's first server; after a loss it continues with the next
     */
    public int first(int group, int user, RoomId room, int partitions, int urls) {
        return switch (this) {
            case SPREAD -> (int) (((long) group + user) % urls);
            case ROOM -> group % urls;
            // With more servers than partitions, a partition has several servers but a room still has one.
            case PARTITION -> room.partition(Math.max(partitions, urls)) % urls;
        };
    }
}
