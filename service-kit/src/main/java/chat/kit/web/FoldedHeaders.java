package chat.kit.web;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.Locale;

/**
 * Makes folded header lines fail, as RFC 9112, 5.2, requires: Netty would join them, and a proxy that does not could
 * see a different request. Replaces leading white space of a line by a colon, which cannot start a header name, so that
 * the decoder responds with 400. Only parses where headers and body end, and leaves the pipeline at the first WebSocket
 * frame. Confined to the event loop.
 */
final class FoldedHeaders extends ChannelInboundHandlerAdapter {
    /** Bytes kept of a line: enough for the relevant names and values. */
    private static final int LONGEST_READ = 64;

    private enum Part {
        REQUEST_LINE,
        HEADERS,
        CHUNK_SIZE,
        TRAILERS
    }

    private Part part = Part.REQUEST_LINE;
    private final StringBuilder line = new StringBuilder();
    /** Remaining bytes of the body or chunk that is being skipped. */
    private long left;

    private long contentLength;
    private boolean chunked;
    private boolean upgrading;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof ByteBuf bytes) look(context, bytes);
        context.fireChannelRead(message);
    }

    private void look(ChannelHandlerContext context, ByteBuf bytes) {
        int end = bytes.writerIndex();
        for (int i = bytes.readerIndex(); i < end; i++) {
            if (left > 0) {
                long skipped = Math.min(left, end - i);
                left -= skipped;
                i += (int) skipped - 1;
                continue;
            }
            byte next = bytes.getByte(i);
            if (upgrading && part == Part.REQUEST_LINE && line.isEmpty()) {
                if (isFrame(next)) {
                    context.pipeline().remove(this);
                    return;
                }
                upgrading = next == '\r' || next == '\n';
            }
            boolean folds = line.isEmpty() && (part == Part.HEADERS || part == Part.TRAILERS);
            if (folds && (next == ' ' || next == '\t')) bytes.setByte(i, ':');
            if (next == '\n') {
                endOfLine(line.toString());
                line.setLength(0);
            } else if (next != '\r' && line.length() < LONGEST_READ) {
                line.append((char) (next & 0xff));
            }
        }
    }

    /** A request starts with a letter; a frame that starts like one has reserved bits set and is rejected anyway. */
    private static boolean isFrame(byte first) {
        return first != '\r' && first != '\n' && (first < 'A' || first > 'Z');
    }

    private void endOfLine(String text) {
        switch (part) {
            case REQUEST_LINE -> {
                if (text.isEmpty()) return;
                part = Part.HEADERS;
                contentLength = 0;
                chunked = false;
                upgrading = false;
            }
            case HEADERS -> {
                if (text.isEmpty()) endOfHeaders();
                else header(text.toLowerCase(Locale.ROOT));
            }
            case CHUNK_SIZE -> {
                if (text.isEmpty()) return; // after a chunk
                left = number(text.split(";", 2)[0].strip(), 16);
                if (left == 0) part = Part.TRAILERS;
            }
            case TRAILERS -> {
                if (text.isEmpty()) part = Part.REQUEST_LINE;
            }
        }
    }

    private void endOfHeaders() {
        part = chunked ? Part.CHUNK_SIZE : Part.REQUEST_LINE;
        left = chunked ? 0 : contentLength;
    }

    private void header(String text) {
        int colon = text.indexOf(':');
        if (colon < 0) return;
        String value = text.substring(colon + 1).strip();
        switch (text.substring(0, colon).strip()) {
            case "content-length" -> contentLength = number(value, 10);
            case "transfer-encoding" -> chunked = value.contains("chunked");
            case "upgrade" -> upgrading |= value.contains("websocket");
            default -> {}
        }
    }

    /** Returns 0 if the text is not a number; the decoder rejects it. */
    private static long number(String text, int radix) {
        try {
            return Math.max(0, Long.parseLong(text, radix));
        } catch (NumberFormatException none) {
            return 0;
        }
    }
}
