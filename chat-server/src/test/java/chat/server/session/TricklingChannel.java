package chat.server.session;

import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;

/** Accepts the given number of bytes, and one byte before. */
final class TricklingChannel extends EmbeddedChannel {
    private int allowed = 1;

    void takes(int bytes) {
        allowed = bytes;
        flush();
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer buffer) {
        buffer.removeBytes(allowed);
        allowed = 0;
    }
}
