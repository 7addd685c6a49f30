package chat.load.dialect;

import io.netty.buffer.ByteBuf;

/** Reads Centrifugo's replies: JSON objects, one per line, several in a WebSocket message. */
final class CentrifugoReader extends TextWalk implements FrameReader {
    private static final byte[] SHARED = ascii("{\"push\":{\"channel\":\"");
    private static final byte[] THEN = ascii(",\"pub\":");
    private static final byte[] ID = ascii("id");
    private static final byte[] CONNECT = ascii("connect");
    private static final byte[] PING = ascii("ping");
    private static final byte[] SUBSCRIBE = ascii("subscribe");
    private static final byte[] UNSUBSCRIBE = ascii("unsubscribe");
    private static final byte[] DISCONNECT = ascii("disconnect");
    private static final byte[] PUBLISH = ascii("publish");
    private static final byte[] PUSH = ascii("push");
    private static final byte[] CHANNEL = ascii("channel");
    private static final byte[] PUB = ascii("pub");
    private static final byte[] DATA = ascii("data");
    private static final byte[] ERROR = ascii("error");
    private static final byte[] CODE = ascii("code");
    private static final byte[] MESSAGE = ascii("message");
    private static final byte[] REASON = ascii("reason");
    private static final byte[] TEMPORARY = ascii("temporary");
    private static final byte[] CHANNELS = ascii(Centrifugo.CHANNELS);
    private static final byte[] PONG = ascii("{}");

    @Override
    public int unit(ByteBuf in) {
        int newline = in.indexOf(in.readerIndex(), in.writerIndex(), (byte) '\n');
        return newline < 0 ? in.readableBytes() : newline + 1 - in.readerIndex();
    }

    /** Pushes other than publications concern one member. */
    @Override
    public boolean isShared(ByteBuf in) {
        if (!startsWith(in, in.readerIndex(), SHARED)) return false;
        int channel = in.readerIndex() + SHARED.length;
        int quote = in.indexOf(channel, in.writerIndex(), (byte) '"');
        return quote >= 0 && startsWith(in, quote + 1, THEN);
    }

    @Override
    public Frame read(byte[] unit, int length) throws Malformed {
        frame.clear(unit);
        begin(unit, 0, length);
        if (isBlank()) return frame;
        expect('{');
        if (endsWith('}')) frame.reply = PONG;
        else reply();
        if (!isBlank()) throw new Malformed("expected the end of a line", at());
        return frame;
    }

    private void reply() throws Malformed {
        long id = -1;
        do {
            key();
            if (is(ID)) {
                id = number();
            } else if (is(CONNECT)) {
                frame.type = Frame.Type.READY;
                connect();
            } else if (is(SUBSCRIBE)) {
                frame.type = Frame.Type.WELCOME;
                value(0);
            } else if (is(PUBLISH)) {
                frame.type = Frame.Type.ACK;
                value(0);
            } else if (is(ERROR)) {
                error();
            } else if (is(PUSH)) {
                push();
            } else {
                value(0);
            }
        } while (continues('}'));
        if (id >= Centrifugo.FIRST_TEXT_ID && id <= Integer.MAX_VALUE)
            frame.number = (int) id - Centrifugo.FIRST_TEXT_ID;
    }

    private void connect() throws Malformed {
        expect('{');
        if (endsWith('}')) return;
        do {
            key();
            if (is(PING)) frame.pingIntervalMs = 1_000 * number();
            else value(0);
        } while (continues('}'));
    }

    private void push() throws Malformed {
        int roomStart = -1;
        int roomEnd = -1;
        expect('{');
        if (endsWith('}')) return;
        do {
            key();
            if (is(CHANNEL)) {
                if (stringOrOther() && begins(CHANNELS)) {
                    roomStart = stringStart + CHANNELS.length;
                    roomEnd = stringEnd;
                }
            } else if (is(PUB)) {
                publication();
            } else if (is(UNSUBSCRIBE) || is(DISCONNECT)) {
                error();
            } else {
                value(0);
            }
        } while (continues('}'));
        if (roomStart >= 0) frame.room(roomStart, roomEnd);
    }

    private void publication() throws Malformed {
        expect('{');
        if (endsWith('}')) return;
        do {
            key();
            if (is(DATA)) text();
            else value(0);
        } while (continues('}'));
    }

    private void error() throws Malformed {
        frame.type = Frame.Type.ERROR;
        expect('{');
        if (endsWith('}')) return;
        do {
            key();
            if (is(CODE)) frame.code = raw();
            else if (is(MESSAGE) || is(REASON)) frame.errors = raw();
            else if (is(TEMPORARY)) frame.retryable = raw().equals("true");
            else value(0);
        } while (continues('}'));
    }
}
