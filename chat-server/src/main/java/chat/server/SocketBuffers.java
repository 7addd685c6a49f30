package chat.server;

import chat.server.session.SessionSettings;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import java.time.Duration;
import org.springframework.boot.reactor.netty.NettyServerCustomizer;
import reactor.netty.http.server.HttpServer;

/** Limits what Netty and the kernel buffer for one connection: docs/guide/operations.md, "Memory per connection". */
final class SocketBuffers implements NettyServerCustomizer {
    private static final int LEAST_READ = 64;
    private static final int FIRST_READ = 1024;

    /** Most bytes of one read: frames are small, and a larger buffer would cost memory while many clients send. */
    private static final int MOST_READ = 16 * 1024;

    /** Bytes that Netty holds for a socket before frames wait in the outbox, as in Netty itself. */
    private static final int WRITE_BUFFER = 64 * 1024;

    /** Unsent bytes in the send buffer: enough to keep the line busy; the rest stays where the outbox bounds it. */
    private static final long KERNEL_UNSENT = 128 * 1024;

    private final SessionSettings settings;
    private final int writeBuffer;

    SocketBuffers(SessionSettings settings) {
        this(settings, WRITE_BUFFER);
    }

    private SocketBuffers(SessionSettings settings, int writeBuffer) {
        this.settings = settings;
        this.writeBuffer = writeBuffer;
    }

    /** Returns a copy with another write buffer in bytes, for tests. */
    SocketBuffers withWriteBuffer(int bytes) {
        return new SocketBuffers(settings, bytes);
    }

    @Override
    public HttpServer apply(HttpServer server) {
        HttpServer configured = server.childOption(
                        ChannelOption.RECVBUF_ALLOCATOR,
                        new AdaptiveRecvByteBufAllocator(LEAST_READ, FIRST_READ, MOST_READ))
                .childOption(
                        ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(writeBuffer / 2, writeBuffer));
        int send = (int) settings.kernelSend().toBytes();
        if (send > 0) configured = configured.childOption(ChannelOption.SO_SNDBUF, send);
        if (Epoll.isAvailable()) configured = onLinux(configured);
        int receive = (int) settings.kernelReceive().toBytes();
        if (receive > 0) configured = configured.childOption(ChannelOption.SO_RCVBUF, receive);
        return configured;
    }

    private HttpServer onLinux(HttpServer server) {
        int patience = (int) Math.min(patience().toMillis(), Integer.MAX_VALUE);
        return server.childOption(EpollChannelOption.TCP_USER_TIMEOUT, patience)
                .childOption(EpollChannelOption.TCP_NOTSENT_LOWAT, KERNEL_UNSENT);
    }

    /**
     * Returns the time after which the system closes a connection whose peer acknowledges nothing; its default is many
     * minutes. The time covers the timeout of a silent client, and of a slow one: the write deadline for the bytes in the
     * send buffer, and again for those behind them.
     */
    private Duration patience() {
        Duration silence = settings.pingInterval().plus(settings.pingGrace());
        Duration slow = settings.writeDeadline().multipliedBy(2);
        return silence.compareTo(slow) > 0 ? silence : slow;
    }
}
