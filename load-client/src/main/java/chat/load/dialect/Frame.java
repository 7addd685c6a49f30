package chat.load.dialect;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Holds the parsed content of a unit: the few fields that a load client uses. Reused from unit to unit; confined to
 * its reader's thread.
 */
public final class Frame {
    public enum Type {
        /** Rooms can be joined now. */
        READY,
        WELCOME,
        MESSAGES,
        ACK,
        ERROR,
        GAP,
        /** Ignored, except for its {@link #reply}. */
        OTHER
    }

    Type type = Type.OTHER;
    long position;
    long from;
    long to;
    long retryAfterMs;
    long pingIntervalMs;
    double messagesPerSecond;
    boolean retryable;
    boolean lastIsText;
    int number;
    String code = "";
    String errors = "";
    byte @Nullable [] reply;
    private byte[] bytes = new byte[0];
    private int roomStart;
    private int roomEnd;
    private long[] ids = new long[64];
    private int idCount;

    Frame() {
        clear(bytes);
    }

    /** @param unit bytes that {@link #room} will refer to */
    void clear(byte[] unit) {
        bytes = unit;
        type = Type.OTHER;
        position = from = to = retryAfterMs = pingIntervalMs = -1;
        messagesPerSecond = -1;
        retryable = lastIsText = false;
        number = -1;
        code = errors = "";
        reply = null;
        roomStart = roomEnd = -1;
        idCount = 0;
    }

    void room(int start, int end) {
        roomStart = start;
        roomEnd = end;
    }

    void addId(long high, long low) {
        if (2 * idCount == ids.length) ids = Arrays.copyOf(ids, 2 * ids.length);
        ids[2 * idCount] = high;
        ids[2 * idCount + 1] = low;
        idCount++;
    }

    /** Discards the ids after the first {@code count}. */
    void cutIds(int count) {
        idCount = count;
    }

    public Type type() {
        return type;
    }

    /** Position of the last message; -1 if the frame has none. The other numbers also use -1. */
    public long position() {
        return position;
    }

    public long from() {
        return from;
    }

    public long to() {
        return to;
    }

    public long retryAfterMs() {
        return retryAfterMs;
    }

    public long pingIntervalMs() {
        return pingIntervalMs;
    }

    /** The rate at which a member may send, from a WELCOME. */
    public double messagesPerSecond() {
        return messagesPerSecond;
    }

    public boolean retryable() {
        return retryable;
    }

    /** Whether the last message of MESSAGES, to which the position belongs, is a TEXT. */
    public boolean lastIsText() {
        return lastIsText;
    }

    /** Number of the own TEXT that an ACK or ERROR refers to, for servers that answer by number. */
    public int number() {
        return number;
    }

    public String code() {
        return code;
    }

    /** Explanations of an ERROR, unchanged. */
    public String errors() {
        return errors;
    }

    /** The answer that the server expects at once, for example to its own kind of ping. */
    public byte @Nullable [] reply() {
        return reply;
    }

    /** Whether the frame concerns this room; a frame without a room concerns any. */
    public boolean isAbout(byte[] roomId) {
        return roomStart < 0 || Arrays.equals(bytes, roomStart, roomEnd, roomId, 0, roomId.length);
    }

    /** Whether the frame contains a room. */
    public boolean namesRoom() {
        return roomStart >= 0;
    }

    /** Number of ids: of the TEXTs in MESSAGES, of the messages in ACK, of the message in ERROR. */
    public int idCount() {
        return idCount;
    }

    /** The upper half of an id; 0 if it is not a UUID. */
    public long idHigh(int index) {
        return ids[2 * index];
    }

    public long idLow(int index) {
        return ids[2 * index + 1];
    }
}
