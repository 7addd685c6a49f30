package chat.load.plan;

/**
 * Describes what members send, and in which rooms.
 *
 * @param numberedRooms whether rooms are named 1, 2, 3 and so on, and shared with other clients and earlier runs;
 *     otherwise their names begin with the run's
 * @param payload minimum length of each text in bytes, 1 to 500
 * @param texts number of texts to choose from; 0: each TEXT has a text of its own
 * @param turnover LEAVEs per TEXT, 0 to 1, the last LEAVE of a member included
 * @param duplicates share of TEXTs that are sent twice under the same id, 0 to 1
 */
public record Traffic(boolean numberedRooms, int payload, int texts, double turnover, double duplicates) {
    private static final int MAX_PAYLOAD = 500;
    private static final int MAX_TEXTS = 100_000;

    public Traffic {
        if (payload < 1 || payload > MAX_PAYLOAD)
            throw new IllegalArgumentException("payload must be 1 to " + MAX_PAYLOAD + " bytes");
        if (texts < 0 || texts > MAX_TEXTS) throw new IllegalArgumentException("texts must be 0 to " + MAX_TEXTS);
        if (!(turnover >= 0 && turnover <= 1)) throw new IllegalArgumentException("turnover must be 0 to 1");
        if (!(duplicates >= 0 && duplicates <= 1))
            throw new IllegalArgumentException("the rate of duplicates must be 0 to 1");
    }

    /** Each TEXT once and with a text of its own, in rooms of the run's own; LEAVEs only at the end. */
    public static Traffic ofTexts(int payload) {
        return new Traffic(false, payload, 0, 0, 0);
    }

    /** How often a member with this number of TEXTs leaves and joins again before its last TEXT. */
    public int returns(int messages) {
        return (int) Math.max(0, Math.round(turnover * messages) - 1);
    }

    public String roomName(RunIds ids, int room) {
        return numberedRooms ? Integer.toString(room + 1) : ids.roomName(room);
    }
}
