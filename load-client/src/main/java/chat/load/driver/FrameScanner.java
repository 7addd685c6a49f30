package chat.load.driver;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads a server's frame in one pass over its bytes, without a tree or strings: it keeps the few fields that a load
 * client acts on. Fields may come in any order, unknown ones are skipped. Reused from frame to frame; confined to one
 * thread.
 */
final class FrameScanner {
    enum Type {
        WELCOME,
        MESSAGES,
        ACK,
        ERROR,
        GAP,
        /** A type that this client does not know, or none. */
        OTHER
    }

    /** The frame is not JSON as RFC 8259 has it, as far as this scanner looks. */
    static final class Malformed extends Exception {
        private static final long serialVersionUID = 1;

        Malformed(String what, int at) {
            super(what + " at byte " + at);
        }
    }

    private static final int MAX_DEPTH = 32;
    private static final byte[] HEX = new byte[256];

    static {
        Arrays.fill(HEX, (byte) -1);
        for (int i = 0; i < 16; i++) {
            HEX["0123456789abcdef".charAt(i)] = (byte) i;
            HEX["0123456789ABCDEF".charAt(i)] = (byte) i;
        }
    }

    private static final byte[] TYPE = ascii("type");
    private static final byte[] CODE = ascii("code");
    private static final byte[] ROOM_ID = ascii("roomId");
    private static final byte[] POSITION = ascii("position");
    private static final byte[] MESSAGES = ascii("messages");
    private static final byte[] MESSAGE_ID = ascii("messageId");
    private static final byte[] MESSAGE_IDS = ascii("messageIds");
    private static final byte[] MESSAGE_TYPE = ascii("messageType");
    private static final byte[] FROM = ascii("from");
    private static final byte[] TO = ascii("to");
    private static final byte[] ERRORS = ascii("errors");
    private static final byte[] RETRYABLE = ascii("retryable");
    private static final byte[] RETRY_AFTER_MS = ascii("retryAfterMs");
    private static final byte[] PING_INTERVAL_MS = ascii("pingIntervalMs");
    private static final byte[] TEXT = ascii("TEXT");
    private static final byte[][] TYPES = {
        ascii("WELCOME"), ascii("MESSAGES"), ascii("ACK"), ascii("ERROR"), ascii("GAP")
    };

    private byte[] json = new byte[0];
    private int end;
    private int at;
    /** Where the string read last stands, without its quotes. */
    private int stringStart;

    private int stringEnd;

    private Type type = Type.OTHER;
    private long position = -1;
    private long from = -1;
    private long to = -1;
    private long retryAfterMs = -1;
    private long pingIntervalMs = -1;
    private boolean retryable;
    private boolean lastIsText;
    private int roomStart = -1;
    private int roomEnd = -1;
    private String code = "";
    private String errors = "";
    private long[] ids = new long[64];
    private int idCount;

    /** @throws Malformed what was read before it remains readable, and means nothing */
    void scan(byte[] utf8, int length) throws Malformed {
        json = utf8;
        end = length;
        at = 0;
        type = Type.OTHER;
        position = from = to = retryAfterMs = pingIntervalMs = -1;
        retryable = lastIsText = false;
        roomStart = roomEnd = -1;
        code = errors = "";
        idCount = 0;
        frame();
    }

    Type type() {
        return type;
    }

    /** -1 where the frame has none; so with the other numbers. */
    long position() {
        return position;
    }

    long from() {
        return from;
    }

    long to() {
        return to;
    }

    long retryAfterMs() {
        return retryAfterMs;
    }

    long pingIntervalMs() {
        return pingIntervalMs;
    }

    boolean retryable() {
        return retryable;
    }

    /** Whether the last of MESSAGES, whose position the frame tells, is a TEXT. */
    boolean lastIsText() {
        return lastIsText;
    }

    String code() {
        return code;
    }

    /** The JSON array of an ERROR's explanations, as it came. */
    String errors() {
        return errors;
    }

    /** Whether the frame names this room; a frame that names none is about the only one there is. */
    boolean isAbout(byte[] room) {
        return roomStart < 0 || Arrays.equals(json, roomStart, roomEnd, room, 0, room.length);
    }

    /** Of the TEXTs in MESSAGES, of the messages in ACK, of the one message in ERROR. */
    int idCount() {
        return idCount;
    }

    /** The upper half of an id; 0 for what is no UUID. */
    long idHigh(int index) {
        return ids[2 * index];
    }

    long idLow(int index) {
        return ids[2 * index + 1];
    }

    private void frame() throws Malformed {
        expect('{');
        if (endsWith('}')) return;
        do {
            key();
            if (is(TYPE)) {
                string();
                type = typeOf();
            } else if (is(ROOM_ID)) {
                if (stringOrOther()) {
                    roomStart = stringStart;
                    roomEnd = stringEnd;
                }
            } else if (is(POSITION)) {
                position = number();
            } else if (is(MESSAGES)) {
                messages();
            } else if (is(MESSAGE_IDS)) {
                messageIds();
            } else if (is(MESSAGE_ID)) {
                if (stringOrOther()) addId();
            } else if (is(FROM)) {
                from = number();
            } else if (is(TO)) {
                to = number();
            } else if (is(CODE)) {
                code = raw();
            } else if (is(ERRORS)) {
                errors = raw();
            } else if (is(RETRYABLE)) {
                retryable = raw().equals("true");
            } else if (is(RETRY_AFTER_MS)) {
                retryAfterMs = number();
            } else if (is(PING_INTERVAL_MS)) {
                pingIntervalMs = number();
            } else {
                value(0);
            }
        } while (continues('}'));
    }

    private void messages() throws Malformed {
        expect('[');
        if (endsWith(']')) return;
        do {
            message();
        } while (continues(']'));
    }

    /** Keeps the id of a TEXT, and nothing of other messages. */
    private void message() throws Malformed {
        boolean text = false;
        int before = idCount;
        expect('{');
        if (endsWith('}')) return;
        do {
            key();
            if (is(MESSAGE_TYPE)) {
                string();
                text = is(TEXT);
            } else if (is(MESSAGE_ID)) {
                if (stringOrOther()) addId();
            } else {
                value(0);
            }
        } while (continues('}'));
        lastIsText = text;
        if (!text) {
            idCount = before;
        } else if (idCount == before) {
            addId(0, 0);
        }
    }

    private void messageIds() throws Malformed {
        expect('[');
        if (endsWith(']')) return;
        do {
            string();
            addId();
        } while (continues(']'));
    }

    private void key() throws Malformed {
        string();
        int start = stringStart;
        int stop = stringEnd;
        expect(':');
        stringStart = start;
        stringEnd = stop;
    }

    private Type typeOf() {
        for (int i = 0; i < TYPES.length; i++) {
            if (is(TYPES[i])) return Type.values()[i];
        }
        return Type.OTHER;
    }

    private boolean is(byte[] name) {
        return stringEnd - stringStart == name.length
                && Arrays.equals(json, stringStart, stringEnd, name, 0, name.length);
    }

    private void addId() {
        long high = 0;
        long low = 0;
        int wrong = stringEnd - stringStart == 36 ? 0 : -1;
        for (int i = 0, digit = 0; i < 36 && wrong >= 0; i++) {
            byte c = json[stringStart + i];
            if (i == 8 || i == 13 || i == 18 || i == 23) {
                if (c != '-') wrong = -1;
                continue;
            }
            int hex = HEX[c & 0xFF];
            wrong |= hex;
            if (digit++ < 16) high = high << 4 | hex;
            else low = low << 4 | hex;
        }
        if (wrong < 0) addId(0, 0);
        else addId(high, low);
    }

    private void addId(long high, long low) {
        if (2 * idCount == ids.length) ids = Arrays.copyOf(ids, 2 * ids.length);
        ids[2 * idCount] = high;
        ids[2 * idCount + 1] = low;
        idCount++;
    }

    /** A whole number, as such or as a decimal string; -1 for null. */
    private long number() throws Malformed {
        if (!stringOrOther()) {
            stringEnd = at;
            if (json[stringStart] == 'n') return -1;
        }
        if (stringEnd == stringStart || stringEnd - stringStart > 19)
            throw new Malformed("expected a number", stringStart);
        long number = 0;
        for (int i = stringStart; i < stringEnd; i++) {
            int digit = json[i] - '0';
            if (digit < 0 || digit > 9) throw new Malformed("expected a number", i);
            number = number * 10 + digit;
        }
        return number;
    }

    /** Any value as text; a string without its quotes. */
    private String raw() throws Malformed {
        if (!stringOrOther()) stringEnd = at;
        return new String(json, stringStart, stringEnd - stringStart, StandardCharsets.UTF_8);
    }

    /** Reads a value; true where it is a string, else {@code stringStart} is where it began. */
    private boolean stringOrOther() throws Malformed {
        if (peek() == '"') {
            string();
            return true;
        }
        int start = at;
        value(0);
        stringStart = start;
        return false;
    }

    private void string() throws Malformed {
        expect('"');
        int start = at;
        byte[] bytes = json;
        int i = start;
        while (i < end) {
            byte c = bytes[i];
            if (c == '"') {
                stringStart = start;
                stringEnd = i;
                at = i + 1;
                return;
            }
            i += c == '\\' ? 2 : 1;
        }
        throw new Malformed("a string does not end", start);
    }

    private void value(int depth) throws Malformed {
        if (depth > MAX_DEPTH) throw new Malformed("nested too deep", at);
        switch (peek()) {
            case '"' -> string();
            case '{' -> {
                at++;
                if (endsWith('}')) return;
                do {
                    key();
                    value(depth + 1);
                } while (continues('}'));
            }
            case '[' -> {
                at++;
                if (endsWith(']')) return;
                do {
                    value(depth + 1);
                } while (continues(']'));
            }
            default -> {
                int start = at;
                while (at < end && isLiteral(json[at])) at++;
                if (at == start) throw new Malformed("expected a value", at);
            }
        }
    }

    private static boolean isLiteral(byte c) {
        return (c >= '0' && c <= '9')
                || (c >= 'a' && c <= 'z')
                || c == '-'
                || c == '+'
                || c == '.'
                || (c >= 'A' && c <= 'Z');
    }

    private byte peek() throws Malformed {
        while (at < end) {
            byte c = json[at];
            if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return c;
            at++;
        }
        throw new Malformed("the frame ends early", at);
    }

    private void expect(char c) throws Malformed {
        if (peek() != c) throw new Malformed("expected " + c, at);
        at++;
    }

    private boolean endsWith(char close) throws Malformed {
        if (peek() != close) return false;
        at++;
        return true;
    }

    /** After a member or an element: whether another one follows. */
    private boolean continues(char close) throws Malformed {
        byte c = peek();
        at++;
        if (c == ',') return true;
        if (c == close) return false;
        throw new Malformed("expected , or " + close, at - 1);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
