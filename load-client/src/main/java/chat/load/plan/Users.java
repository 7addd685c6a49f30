package chat.load.plan;

/** Assigns random user ids: distinct for all members of a run while 100,000 ids suffice, always within a room. */
public record Users(Numbering numbering, long seed) {
    /** The chat server's default limit for user ids. */
    private static final int IDS = 100_000;
    /** Has no divisor in common with the number of ids, so that its multiples reach each id once. */
    private static final long STEP = 61_803;

    /** @param user members are numbered from 0, the room's guests after them */
    public String id(int room, int user) {
        int members = numbering.users();
        long index = user < members
                ? (long) room * members + user
                : -1 - ((long) (user - members) * numbering.rooms() + room);
        return Long.toString(Math.floorMod(Math.floorMod(seed, IDS) + index * STEP, IDS) + 1);
    }

    public String name(int room, int user) {
        return "user" + id(room, user);
    }
}
