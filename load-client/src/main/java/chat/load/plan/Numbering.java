package chat.load.plan;

/**
 * Numbers every TEXT of a run from 0, so that what was sent, received and stored are integers: by room, then user, then
 * the sender's sequence. A number within a room starts from 0 too.
 */
public record Numbering(int rooms, int users, int messages) {
    /** The chat server's default bound for user ids. */
    private static final int MAX_USER_ID = 100_000;

    public Numbering {
        if (rooms < 1 || users < 1 || messages < 0)
            throw new IllegalArgumentException("rooms and users must be at least 1, messages at least 0");
        if (Math.multiplyHigh((long) rooms * users, messages) != 0 || (long) rooms * users * messages > 1_000_000_000L)
            throw new IllegalArgumentException("rooms x users x messages must be at most 1,000,000,000");
    }

    public int perRoom() {
        return users * messages;
    }

    public int members() {
        return rooms * users;
    }

    public int total() {
        return rooms * users * messages;
    }

    public int inRoom(int user, int sequence) {
        return user * messages + sequence;
    }

    /** The number of a member among all, counted from 0: members of all rooms take turns. */
    public int member(int room, int user) {
        return user * rooms + room;
    }

    public int userOf(int inRoom) {
        return inRoom / messages;
    }

    public int sequenceOf(int inRoom) {
        return inRoom % messages;
    }

    public int global(int room, int inRoom) {
        return room * perRoom() + inRoom;
    }

    /**
     * Distinct for each member of the run, as far as 100,000 ids reach; always distinct within a room of so many.
     *
     * @param user members are counted from 0, guests of the room after them: those take their ids from the end
     */
    public String userId(int room, int user) {
        long id = user < users ? (long) room * users + user : -1 - ((long) (user - users) * rooms + room);
        return Long.toString(Math.floorMod(id, MAX_USER_ID) + 1);
    }

    public String username(int room, int user) {
        return "user" + userId(room, user);
    }
}
