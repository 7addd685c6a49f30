package chat.protocol;

/** Lists the types of messages; the code is the type's byte in the log and never changes. */
public enum MessageType {
    TEXT(1),
    JOIN(2),
    LEAVE(3);

    private final byte code;

    MessageType(int code) {
        this.code = (byte) code;
    }

    public byte code() {
        return code;
    }

    /** @throws IllegalArgumentException if no type has the code */
    public static MessageType ofCode(byte code) {
        return switch (code) {
            case 1 -> TEXT;
            case 2 -> JOIN;
            case 3 -> LEAVE;
            default -> throw new IllegalArgumentException("no message type has code " + code);
        };
    }
}
