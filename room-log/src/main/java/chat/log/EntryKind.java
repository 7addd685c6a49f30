package chat.log;

/**
 * The kind of an entry. Its code is one byte in the log and never changes. A new kind that older programs can safely
 * skip gets a code of 128 or more. A kind that every program must understand gets a lower code, and is written only
 * once all programs know it.
 */
public enum EntryKind {
    MESSAGES(1),
    /** A server starts to use this partition, or proposes an epoch for a log that has none. */
    HELLO(2),
    /** A server is alive and reads this partition. */
    HEARTBEAT(3),
    /** The members of the rooms on one server: a {@link Roster}. */
    ROSTER(4),
    /** The position up to which the consumer has stored the partition: a {@link StoredThrough}. */
    STORED(5),
    /** A kind of a later version, with a code of 128 or more, which this version skips. Never written. */
    LATER(0);

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
            default -> {
                if (code < 0) yield LATER; // 128 to 255
                throw new MalformedEntry("unknown entry kind " + (code & 0xff));
            }
        };
    }
}
