package chat.load.driver;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.websocketx.WebSocketFrameDecoder;
import org.jspecify.annotations.Nullable;

/**
 * Splits incoming bytes into WebSocket messages. A message that arrived whole is passed on without a copy; one that
 * is fragmented or cut by the end of a read is joined first. Netty's decoder copies every frame, which at a gigabyte
 * per second is most of the work.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc6455#section-5.2">RFC 6455, 5.2</a>
 */
final class FrameJoiner extends ChannelInboundHandlerAdapter implements WebSocketFrameDecoder {
    static final int CONTINUATION = 0;
    static final int TEXT = 1;
    static final int BINARY = 2;
    static final int CLOSE = 8;
    static final int PING = 9;
    static final int PONG = 10;

    private static final int MAX_HEADER = 10;

    interface Listener {
        /** A complete text or binary message, between reader and writer index; valid only during the call. */
        void message(ByteBuf payload);

        /** A ping, pong or close; valid only during the call. */
        void control(int opcode, ByteBuf payload);

        /** The server violated RFC 6455: nothing more is read. */
        void broken(String how);
    }

    private final Listener listener;
    private final int maxMessageBytes;
    /** The beginning of an incomplete frame. */
    private @Nullable ByteBuf partial;
    /** The length of that frame, 0 if its header is incomplete. */
    private int partialLength;
    /** A message's fragments before the last one. */
    private @Nullable ByteBuf message;

    private boolean stopped;

    FrameJoiner(Listener listener, int maxMessageBytes) {
        this.listener = listener;
        this.maxMessageBytes = maxMessageBytes;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object read) {
        if (!(read instanceof ByteBuf in)) {
            ctx.fireChannelRead(read);
            return;
        }
        try {
            while (!stopped && in.isReadable()) {
                if (partial != null) complete(in, partial);
                else if (!frame(in)) keep(ctx, in);
            }
        } finally {
            in.release();
        }
    }

    /** Reads one frame if it is complete. */
    private boolean frame(ByteBuf in) {
        int length = frameLength(in);
        if (stopped) return true;
        if (length == 0 || in.readableBytes() < length) return false;
        int start = in.readerIndex();
        int end = in.writerIndex();
        int first = in.getByte(start);
        int header = headerLength(in.getByte(start + 1));
        // Narrows the buffer itself to the payload: a slice would allocate an object per frame.
        in.setIndex(start + header, start + length);
        payload(in, first & 0x0F, (first & 0x80) != 0);
        in.setIndex(start + length, end);
        return true;
    }

    private void keep(ChannelHandlerContext ctx, ByteBuf in) {
        partialLength = frameLength(in);
        if (stopped) return;
        partial = ctx.alloc().directBuffer(Math.max(MAX_HEADER, partialLength)).writeBytes(in);
    }

    private void complete(ByteBuf in, ByteBuf begun) {
        while (partialLength == 0 && !stopped && in.isReadable()) {
            begun.writeByte(in.readByte());
            partialLength = frameLength(begun);
        }
        if (partialLength == 0 || stopped) return;
        begun.ensureWritable(partialLength - begun.readableBytes());
        in.readBytes(begun, Math.min(in.readableBytes(), partialLength - begun.readableBytes()));
        if (begun.readableBytes() < partialLength) return;
        partial = null;
        partialLength = 0;
        try {
            var unused = frame(begun);
        } finally {
            begun.release();
        }
    }

    /** @return 0 if the header is incomplete or invalid */
    private int frameLength(ByteBuf in) {
        int readable = in.readableBytes();
        if (readable < 2) return 0;
        int start = in.readerIndex();
        int first = in.getByte(start);
        int second = in.getByte(start + 1);
        int header = headerLength(second);
        if ((second & 0x80) != 0) return wrong("masked its frame");
        if ((first & 0x70) != 0) return wrong("used an extension that was not agreed");
        if (readable < header) return 0;
        long length = switch (header) {
            case 4 -> in.getUnsignedShort(start + 2);
            case 10 -> in.getLong(start + 2);
            default -> second;
        };
        int opcode = first & 0x0F;
        if (opcode >= CLOSE && (length > 125 || (first & 0x80) == 0))
            return wrong("sent a control frame that is too long or fragmented");
        if (length >= 0 && length < shortest(header))
            return wrong("told a frame's length in a longer form than needed");
        if (length < 0 || length > maxMessageBytes)
            return wrong("sent a frame of " + length + " bytes, at most " + maxMessageBytes + " are read");
        return header + (int) length;
    }

    /** The smallest length that needs a header of this size. */
    private static int shortest(int header) {
        return switch (header) {
            case 4 -> 126;
            case 10 -> 65_536;
            default -> 0;
        };
    }

    private static int headerLength(int second) {
        return switch (second & 0x7F) {
            case 126 -> 4;
            case 127 -> 10;
            default -> 2;
        };
    }

    private int wrong(String how) {
        stopped = true;
        listener.broken(how);
        return 0;
    }

    private void payload(ByteBuf payload, int opcode, boolean last) {
        ByteBuf begun = message;
        switch (opcode) {
            case CLOSE, PING, PONG -> listener.control(opcode, payload);
            case TEXT, BINARY -> {
                if (begun != null) wrong("began a message within another");
                else if (last) listener.message(payload);
                else
                    message = payload.alloc()
                            .directBuffer(2 * payload.readableBytes() + 64)
                            .writeBytes(payload);
            }
            case CONTINUATION -> {
                if (begun == null) {
                    wrong("continued a message that had not begun");
                } else if (begun.readableBytes() + payload.readableBytes() > maxMessageBytes) {
                    wrong("sent a message of more than " + maxMessageBytes + " bytes");
                } else {
                    begun.writeBytes(payload);
                    if (!last) return;
                    message = null;
                    try {
                        listener.message(begun);
                    } finally {
                        begun.release();
                    }
                }
            }
            default -> wrong("sent a frame of the unknown kind " + opcode);
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        stopped = true;
        if (partial != null) partial.release();
        if (message != null) message.release();
        partial = message = null;
    }
}
