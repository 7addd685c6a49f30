package chat.load.plan;

/**
 * Numbers every TEXT of a run from 0, so that what was sent, received and stored are integers: by room, then user, then
 * the sender's sequence. A number within a room starts from 0 too.
 */
public record Numbering(int rooms, int users, int messages) {
    /** The chat server's default bound for user ids. */
    private static final int MAX_USER_ID = 100_000;

    public Numbering {
        if (rooms < 1 || users < 1 || messages < 1)
            throw new IllegalArgumentException("rooms, users and messages must be at least 1");
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

    public int userOf(int inRoom) {
        return inRoom / messages;
    }

    public int sequenceOf(int inRoom) {
        return inRoom % messages;
    }

    public int global(int room, int inRoom) {
        return room * perRoom() + inRoom;
    }

    /** Distinct for each member of the run, as far as 100,000 ids reach; always distinct within a room of so many. */
    public String userId(int room, int user) {
        return Long.toString(((long) room * users + user) % MAX_USER_ID + 1);
    }

    public String username(int room, int user) {
        return "user" + userId(room, user);
    }
}
