package chat.log;

/**
 * What an entry carries; the code is its byte in the log and never changes. A kind that others may not know gets a code of
 * 128 or more, if it is no harm to them to pass over it. One that they must know gets a lower one, and is written only when
 * every program knows it.
 */
public enum EntryKind {
    MESSAGES(1),
    /** A server began to use this partition, or proposes an origin for a log that has none. */
    HELLO(2),
    /** A server is alive and reads this partition. */
    HEARTBEAT(3),
    /** Who is in the rooms through one server: a {@link Roster}. */
    ROSTER(4),
    /** Up to where the consumer has stored: a {@link StoredThrough}. */
    STORED(5),
    /** Of a later version of the programs, with a code from 128 on: nothing that this one would have to tell. Never written. */
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
                throw new MalformedEntry("no entry kind has code " + code);
            }
        };
    }
}
