package chat.load.dialect;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads the operations of a NATS server: one line each; a MSG line is followed by a payload of the announced size.
 * WebSocket messages may contain several operations or end within one.
 */
final class NatsReader extends TextWalk implements FrameReader {
    /** INFO is by far the longest line, and shorter than a kilobyte without a cluster. */
    private static final int MAX_LINE_BYTES = 64 << 10;
    /** The server's default limit. */
    private static final int MAX_PAYLOAD_BYTES = 1 << 20;

    private static final byte[] MSG = ascii("MSG ");
    private static final byte[] ROOM = ascii("MSG " + Nats.ROOMS);
    private static final byte[] JOINED = ascii("MSG " + Nats.JOINED);
    private static final byte[] INFO = ascii("INFO ");
    private static final byte[] PING = ascii("PING\r\n");
    private static final byte[] PONG = ascii("PONG\r\n");
    private static final byte[] OK = ascii("+OK\r\n");
    private static final byte[] ERR = ascii("-ERR ");
    /** Protocol 0 suppresses further INFO lines when a cluster changes, so the first INFO is the greeting. */
    private static final byte[] CONNECT = ascii("CONNECT {\"verbose\":false,\"pedantic\":false,\"tls_required\":false,"
            + "\"name\":\"confab-load\",\"lang\":\"java\",\"version\":\"1\",\"protocol\":0,\"echo\":true,"
            + "\"headers\":false}\r\n");

    @Override
    public int unit(ByteBuf in) throws Malformed {
        int start = in.readerIndex();
        int available = in.readableBytes();
        int newline = in.indexOf(start, start + Math.min(available, MAX_LINE_BYTES), (byte) '\n');
        if (newline < 0) {
            if (available >= MAX_LINE_BYTES) throw new Malformed("a line does not end", MAX_LINE_BYTES);
            return -1;
        }
        int line = newline + 1 - start;
        if (!startsWith(in, start, MSG)) return line;
        int payload = payloadSize(in, start, newline);
        int all = line + payload + 2;
        return available < all ? -1 : all;
    }

    /** The last word of a line. */
    private static int payloadSize(ByteBuf in, int start, int newline) throws Malformed {
        int end = newline - 1;
        if (in.getByte(end) != '\r') throw new Malformed("expected the end of a line", end - start);
        int from = end;
        while (in.getByte(from - 1) != ' ') from--;
        int size = 0;
        for (int i = from; i < end; i++) {
            int digit = in.getByte(i) - '0';
            if (digit < 0 || digit > 9) throw new Malformed("expected a size", i - start);
            size = 10 * size + digit;
            if (size > MAX_PAYLOAD_BYTES) throw new Malformed("a payload is too large", from - start);
        }
        if (from == end) throw new Malformed("expected a size", end - start);
        return size;
    }

    @Override
    public boolean isShared(ByteBuf in) {
        return startsWith(in, in.readerIndex(), ROOM);
    }

    @Override
    public Frame read(byte[] unit, int length) throws Malformed {
        frame.clear(unit);
        if (length < 2 || unit[length - 2] != '\r' || unit[length - 1] != '\n')
            throw new Malformed("expected the end of a line", Math.max(0, length - 2));
        if (begins(unit, length, ROOM)) {
            message(unit, length);
        } else if (begins(unit, length, JOINED)) {
            joined(unit);
        } else if (begins(unit, length, PING)) {
            frame.reply = PONG;
        } else if (begins(unit, length, INFO)) {
            frame.type = Frame.Type.READY;
            frame.reply = CONNECT;
        } else if (begins(unit, length, ERR)) {
            frame.type = Frame.Type.ERROR;
            frame.code = new String(unit, ERR.length, length - 2 - ERR.length, StandardCharsets.UTF_8)
                    .replace("'", "")
                    .strip();
        } else if (!begins(unit, length, PONG) && !begins(unit, length, OK)) {
            throw new Malformed("expected an operation", 0);
        }
        return frame;
    }

    private static boolean begins(byte[] unit, int length, byte[] with) {
        return length >= with.length && Arrays.equals(unit, 0, with.length, with, 0, with.length);
    }

    /** {@code MSG joined.user.room subscription 0}, sent by the member to itself. */
    private void joined(byte[] unit) throws Malformed {
        int room = wordEnd(unit, JOINED.length, '.') + 1;
        frame.room(room, wordEnd(unit, room, ' '));
        frame.type = Frame.Type.WELCOME;
    }

    /** {@code MSG room.room subscription size}, and the payload on the next line. */
    private void message(byte[] unit, int length) throws Malformed {
        int roomEnd = wordEnd(unit, ROOM.length, ' ');
        int lineEnd = roomEnd;
        while (unit[lineEnd] != '\n') lineEnd++;
        begin(unit, lineEnd + 1, length - 2);
        text();
        if (!isBlank()) throw new Malformed("expected the end of the payload", at());
        // The subject is authoritative, not the payload.
        frame.room(ROOM.length, roomEnd);
    }

    /** A unit ends with a line break, so the search is bounded. */
    private static int wordEnd(byte[] unit, int from, char end) throws Malformed {
        int at = from;
        while (unit[at] != end) {
            if (unit[at] == '\n') throw new Malformed("expected more of a line", at);
            at++;
        }
        return at;
    }
}
