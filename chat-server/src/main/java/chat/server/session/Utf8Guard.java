package chat.server.session;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.Utf8FrameValidator;

/** Validates UTF-8. Unfragmented ASCII frames, the common case, are checked eight bytes at a time, others bytewise. */
final class Utf8Guard extends Utf8FrameValidator {
    private static final long HIGH_BITS = 0x8080_8080_8080_8080L;

    Utf8Guard() {
        super(false);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
        boolean plain =
                message instanceof TextWebSocketFrame frame && frame.isFinalFragment() && isAscii(frame.content());
        if (plain) context.fireChannelRead(message);
        else super.channelRead(context, message);
    }

    static boolean isAscii(ByteBuf bytes) {
        int at = bytes.readerIndex();
        int end = bytes.writerIndex();
        for (; at <= end - Long.BYTES; at += Long.BYTES) if ((bytes.getLong(at) & HIGH_BITS) != 0) return false;
        for (; at < end; at++) if (bytes.getByte(at) < 0) return false;
        return true;
    }
}
