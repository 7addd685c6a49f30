package chat.load.dialect;

import io.netty.buffer.ByteBuf;

/**
 * Reads a Confab server's frame in one pass over its bytes, and only the fields that a load client uses. Fields may
 * come in any order; unknown ones are skipped.
 */
final class ConfabReader extends JsonWalk implements FrameReader {
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
    private static final byte[] LIMITS = ascii("limits");
    private static final byte[] MESSAGES_PER_SECOND = ascii("messagesPerSecond");
    private static final byte[] TEXT = ascii("TEXT");
    private static final byte[][] TYPES = {
        ascii("WELCOME"), ascii("MESSAGES"), ascii("ACK"), ascii("ERROR"), ascii("GAP")
    };
    private static final Frame.Type[] MEANING = {
        Frame.Type.WELCOME, Frame.Type.MESSAGES, Frame.Type.ACK, Frame.Type.ERROR, Frame.Type.GAP
    };

    private static final byte[] SHARED = ascii("{\"type\":\"MESSAGES\"");

    @Override
    public boolean isShared(ByteBuf in) {
        return startsWith(in, in.readerIndex(), SHARED);
    }

    @Override
    public Frame read(byte[] unit, int length) throws Malformed {
        begin(unit, 0, length);
        frame.clear(unit);
        frame();
        return frame;
    }

    private void frame() throws Malformed {
        expect('{');
        if (endsWith('}')) return;
        do {
            key();
            if (is(TYPE)) {
                string();
                frame.type = typeOf();
            } else if (is(ROOM_ID)) {
                if (stringOrOther()) frame.room(stringStart, stringEnd);
            } else if (is(POSITION)) {
                frame.position = number();
            } else if (is(MESSAGES)) {
                messages();
            } else if (is(MESSAGE_IDS)) {
                messageIds();
            } else if (is(MESSAGE_ID)) {
                if (stringOrOther()) addId();
            } else if (is(FROM)) {
                frame.from = number();
            } else if (is(TO)) {
                frame.to = number();
            } else if (is(CODE)) {
                frame.code = raw();
            } else if (is(ERRORS)) {
                frame.errors = raw();
            } else if (is(RETRYABLE)) {
                frame.retryable = raw().equals("true");
            } else if (is(RETRY_AFTER_MS)) {
                frame.retryAfterMs = number();
            } else if (is(LIMITS)) {
                limits();
            } else if (is(PING_INTERVAL_MS)) {
                frame.pingIntervalMs = number();
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

    /** Records the id of a TEXT and ignores other messages. */
    private void message() throws Malformed {
        boolean text = false;
        int before = frame.idCount();
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
        frame.lastIsText = text;
        if (!text) {
            frame.cutIds(before);
        } else if (frame.idCount() == before) {
            frame.addId(0, 0);
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

    private void limits() throws Malformed {
        if (peek() != '{') {
            value(0);
            return;
        }
        expect('{');
        if (endsWith('}')) return;
        do {
            key();
            if (is(MESSAGES_PER_SECOND)) frame.messagesPerSecond = decimal();
            else value(0);
        } while (continues('}'));
    }

    private Frame.Type typeOf() {
        for (int i = 0; i < TYPES.length; i++) {
            if (is(TYPES[i])) return MEANING[i];
        }
        return Frame.Type.OTHER;
    }
}
