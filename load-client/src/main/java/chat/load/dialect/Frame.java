package chat.load.dialect;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What a unit means: the few fields that a load client acts on. Reused from unit to unit; confined to its reader's thread. */
public final class Frame {
    public enum Type {
        /** Rooms can be joined now. */
        READY,
        WELCOME,
        MESSAGES,
        ACK,
        ERROR,
        GAP,
        /** Nothing that a load client acts on, but for its {@link #reply}. */
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

    /** @param unit that {@link #room} will refer to */
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

    /** Forgets the ids after the first {@code count}. */
    void cutIds(int count) {
        idCount = count;
    }

    public Type type() {
        return type;
    }

    /** Of the last message; -1 where the frame has none. So with the other numbers. */
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

    /** The rate at which a member may send, as a WELCOME tells it. */
    public double messagesPerSecond() {
        return messagesPerSecond;
    }

    public boolean retryable() {
        return retryable;
    }

    /** Whether the last of MESSAGES, whose position the frame tells, is a TEXT. */
    public boolean lastIsText() {
        return lastIsText;
    }

    /** Of the own TEXT that an ACK or ERROR is about, for servers that answer by number. */
    public int number() {
        return number;
    }

    public String code() {
        return code;
    }

    /** Explanations of an ERROR, as they came. */
    public String errors() {
        return errors;
    }

    /** What the server expects at once in answer, such as to a ping of its own kind. */
    public byte @Nullable [] reply() {
        return reply;
    }

    /** Whether the frame names this room; a frame that names none is about any. */
    public boolean isAbout(byte[] roomId) {
        return roomStart < 0 || Arrays.equals(bytes, roomStart, roomEnd, roomId, 0, roomId.length);
    }

    /** Whether it names a room at all. */
    public boolean namesRoom() {
        return roomStart >= 0;
    }

    /** Of the TEXTs in MESSAGES, of the messages in ACK, of the one message in ERROR. */
    public int idCount() {
        return idCount;
    }

    /** The upper half of an id; 0 for what is no UUID. */
    public long idHigh(int index) {
        return ids[2 * index];
    }

    public long idLow(int index) {
        return ids[2 * index + 1];
    }
}
