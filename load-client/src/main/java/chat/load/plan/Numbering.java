package chat.load.plan;

/**
 * Numbers every TEXT of a run from 0, by room, then user, then the sender's sequence, so that ids are compared as
 * integers. Numbers within a room also start at 0.
 */
public record Numbering(int rooms, int users, int messages) {
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

    /** Index of a member among all members, from 0; members of different rooms alternate. */
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
}
