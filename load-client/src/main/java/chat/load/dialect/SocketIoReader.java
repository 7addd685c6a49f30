package chat.load.dialect;

import io.netty.buffer.ByteBuf;

/**
 * Reads Socket.IO packets, each a WebSocket message: digits for the type and, in acknowledgements, the number; then
 * JSON.
 */
final class SocketIoReader extends TextWalk implements FrameReader {
    private static final byte[] SHARED = ascii("42[\"message\",");
    private static final byte[] MESSAGE = ascii("message");
    private static final byte[] ERROR = ascii("error");
    private static final byte[] CODE = ascii("code");
    private static final byte[] ROOM_ID = ascii("roomId");
    private static final byte[] MESSAGE_ID = ascii("messageId");
    private static final byte[] RETRYABLE = ascii("retryable");
    private static final byte[] RETRY_AFTER_MS = ascii("retryAfterMs");
    private static final byte[] PING_INTERVAL = ascii("pingInterval");
    private static final byte[] PING_TIMEOUT = ascii("pingTimeout");
    private static final byte[] PONG = ascii("3");
    private static final byte[] CONNECT = ascii("40");
    /** Maximum digits of an acknowledgement's number. */
    private static final int MAX_DIGITS = 9;

    @Override
    public boolean isShared(ByteBuf in) {
        return startsWith(in, in.readerIndex(), SHARED);
    }

    @Override
    public Frame read(byte[] unit, int length) throws Malformed {
        frame.clear(unit);
        if (length == 0) throw new Malformed("an empty packet", 0);
        switch (unit[0]) {
            case '0' -> open(unit, length);
            case '2' -> frame.reply = PONG;
            case '4' -> message(unit, length);
            case '1', '3', '5', '6' -> {
                // Close, pong, upgrade and noop need no action.
            }
            default -> throw new Malformed("expected an Engine.IO packet", 0);
        }
        return frame;
    }

    /** A server is silent for at most its ping interval plus its ping timeout. */
    private void open(byte[] unit, int length) throws Malformed {
        long interval = 0;
        long timeout = 0;
        begin(unit, 1, length);
        expect('{');
        if (!endsWith('}')) {
            do {
                key();
                if (is(PING_INTERVAL)) interval = Math.max(0, number());
                else if (is(PING_TIMEOUT)) timeout = Math.max(0, number());
                else value(0);
            } while (continues('}'));
        }
        if (interval > 0) frame.pingIntervalMs = interval + timeout;
        frame.reply = CONNECT;
    }

    private void message(byte[] unit, int length) throws Malformed {
        if (length < 2) throw new Malformed("expected a Socket.IO packet", 1);
        // Other namespaces are ignored.
        if (length > 2 && unit[2] == '/') return;
        int digits = 2;
        int answer = 0;
        while (digits < length && unit[digits] >= '0' && unit[digits] <= '9') {
            if (digits - 2 == MAX_DIGITS) throw new Malformed("the number of an answer is too long", digits);
            answer = 10 * answer + unit[digits++] - '0';
        }
        begin(unit, digits, length);
        switch (unit[1]) {
            case '0' -> frame.type = Frame.Type.READY;
            case '1' -> {
                frame.type = Frame.Type.ERROR;
                frame.code = "disconnected by the server";
            }
            case '2' -> event();
            case '3' -> {
                if (digits == 2) throw new Malformed("expected the number of an answer", 2);
                answer(answer);
            }
            case '4' -> {
                error();
                if (frame.code.isEmpty()) frame.code = "not connected";
            }
            case '5', '6' -> {
                // Packets with binary attachments, which these chats do not use.
            }
            default -> throw new Malformed("expected a Socket.IO packet", 1);
        }
    }

    private void event() throws Malformed {
        expect('[');
        string();
        boolean message = is(MESSAGE);
        boolean error = is(ERROR);
        for (boolean first = true; continues(']'); first = false) {
            if (first && message) text();
            else if (first && error) error();
            else value(0);
        }
    }

    private void answer(int to) throws Malformed {
        boolean join = to == SocketIo.JOIN_ANSWER;
        frame.type = join ? Frame.Type.WELCOME : Frame.Type.ACK;
        if (!join) frame.number = to - SocketIo.FIRST_TEXT_ANSWER;
        expect('[');
        if (endsWith(']')) return;
        boolean first = true;
        do {
            if (first && peek() == '{') details();
            else value(0);
            first = false;
        } while (continues(']'));
        if (!frame.code.isEmpty()) frame.type = Frame.Type.ERROR;
    }

    private void error() throws Malformed {
        frame.type = Frame.Type.ERROR;
        details();
    }

    private void details() throws Malformed {
        expect('{');
        if (endsWith('}')) return;
        do {
            key();
            if (is(CODE)) frame.code = raw();
            else if (is(MESSAGE)) frame.errors = raw();
            else if (is(RETRYABLE)) frame.retryable = raw().equals("true");
            else if (is(RETRY_AFTER_MS)) frame.retryAfterMs = number();
            else if (is(MESSAGE_ID)) {
                if (stringOrOther()) addId();
            } else if (is(ROOM_ID)) {
                if (stringOrOther()) frame.room(stringStart, stringEnd);
            } else {
                value(0);
            }
        } while (continues('}'));
    }
}
