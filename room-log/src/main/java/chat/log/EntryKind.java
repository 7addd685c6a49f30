package chat.log;

/** What an entry carries; the code is its byte in the log and never changes. */
public enum EntryKind {
    MESSAGES(1),
    /** A server began to use this partition, or proposes an origin for a log that has none. */
    HELLO(2),
    /** A server is alive and reads this partition. */
    HEARTBEAT(3),
    /** Who is in the rooms through one server: a {@link Roster}. */
    ROSTER(4),
    /** Up to where the consumer has stored: a {@link StoredThrough}. */
    STORED(5);

    private final byte code;

    EntryKind(int code) {
        this.code = (byte) code;
    }

    byte code() {
        return code;
    }

    static EntryKind ofCode(byte code) {
        return switch (code) {
            case 1 -> MESSAGES;
            case 2 -> HELLO;
            case 3 -> HEARTBEAT;
            case 4 -> ROSTER;
            case 5 -> STORED;
            default -> throw new MalformedEntry("no entry kind has code " + code);
        };
    }
}
