package chat.load.dialect;

import chat.load.dialect.FrameReader.Malformed;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Walks over JSON (RFC 8259) in one pass, without a tree or strings; readers request the values they need and skip
 * the rest. Reused from unit to unit; confined to one thread.
 */
abstract class JsonWalk {
    private static final int MAX_DEPTH = 32;
    private static final byte[] HEX = new byte[256];

    static {
        Arrays.fill(HEX, (byte) -1);
        for (int i = 0; i < 16; i++) {
            HEX["0123456789abcdef".charAt(i)] = (byte) i;
            HEX["0123456789ABCDEF".charAt(i)] = (byte) i;
        }
    }

    final Frame frame = new Frame();
    private byte[] json = new byte[0];
    private int end;
    private int at;
    /** Start of the last string read, without its quotes. */
    int stringStart;

    int stringEnd;

    final void begin(byte[] utf8, int from, int length) {
        json = utf8;
        at = from;
        end = length;
    }

    final int at() {
        return at;
    }

    final void key() throws Malformed {
        string();
        int start = stringStart;
        int stop = stringEnd;
        expect(':');
        stringStart = start;
        stringEnd = stop;
    }

    final boolean is(byte[] name) {
        return stringEnd - stringStart == name.length
                && Arrays.equals(json, stringStart, stringEnd, name, 0, name.length);
    }

    /** Adds the last string read to the frame's ids, as 0 if it is not a UUID. */
    final void addId() {
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
        if (wrong < 0) frame.addId(0, 0);
        else frame.addId(high, low);
    }

    /** Reads an integer, as a number or a decimal string; -1 for null. */
    final long number() throws Malformed {
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

    /** Reads any value as text; a string without its quotes. */
    final String raw() throws Malformed {
        if (!stringOrOther()) stringEnd = at;
        return new String(json, stringStart, stringEnd - stringStart, StandardCharsets.UTF_8);
    }

    /** Reads a value; true if it is a string, otherwise {@code stringStart} is its beginning. */
    final boolean stringOrOther() throws Malformed {
        if (peek() == '"') {
            string();
            return true;
        }
        int start = at;
        value(0);
        stringStart = start;
        return false;
    }

    final void string() throws Malformed {
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

    final void value(int depth) throws Malformed {
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

    /** Reads any JSON number; -1 if the value is not a number. */
    final double decimal() throws Malformed {
        try {
            return Double.parseDouble(raw());
        } catch (NumberFormatException none) {
            return -1;
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

    final byte peek() throws Malformed {
        while (at < end) {
            byte c = json[at];
            if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return c;
            at++;
        }
        throw new Malformed("the frame ends early", at);
    }

    final void expect(char c) throws Malformed {
        if (peek() != c) throw new Malformed("expected " + c, at);
        at++;
    }

    final boolean endsWith(char close) throws Malformed {
        if (peek() != close) return false;
        at++;
        return true;
    }

    /** After a member or an element: whether another one follows. */
    final boolean continues(char close) throws Malformed {
        byte c = peek();
        at++;
        if (c == ',') return true;
        if (c == close) return false;
        throw new Malformed("expected , or " + close, at - 1);
    }

    /** Whether only white space is left. */
    final boolean isBlank() {
        while (at < end && (json[at] == ' ' || json[at] == '\n' || json[at] == '\r' || json[at] == '\t')) at++;
        return at >= end;
    }

    /** Whether the last string read has this prefix. */
    final boolean begins(byte[] with) {
        return stringEnd - stringStart >= with.length
                && Arrays.equals(json, stringStart, stringStart + with.length, with, 0, with.length);
    }

    static boolean startsWith(ByteBuf in, int from, byte[] with) {
        if (in.writerIndex() - from < with.length) return false;
        for (int i = 0; i < with.length; i++) {
            if (in.getByte(from + i) != with[i]) return false;
        }
        return true;
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
