package chat.load.driver;

import chat.load.dialect.Dialect;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Opens sockets to a run's servers on a few event loops, with native transport if available. */
final class Sockets implements AutoCloseable {
    private static final int CONNECT_MILLIS = 5_000;
    /** Coalesced frames are long: a large buffer means fewer reads and joins. */
    private static final int MAX_READ_BYTES = 256 << 10;

    private static final int NARROW_BYTES = 8 << 10;

    private final List<ServerUrl> urls;
    private final List<InetSocketAddress> addresses;
    private final EventLoopGroup group;
    private final Class<? extends Channel> channelClass;
    private final @Nullable SslContext tls;

    /** Resolves the servers' names: this can block. */
    Sockets(List<ServerUrl> urls, int threads) throws SSLException {
        this.urls = List.copyOf(urls);
        this.addresses = urls.stream().map(ServerUrl::address).toList();
        boolean epoll = Epoll.isAvailable();
        this.group = new MultiThreadIoEventLoopGroup(
                threads, epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
        this.channelClass = epoll ? EpollSocketChannel.class : NioSocketChannel.class;
        this.tls = urls.stream().anyMatch(ServerUrl::secure)
                ? SslContextBuilder.forClient().build()
                : null;
    }

    int urls() {
        return urls.size();
    }

    ServerUrl url(int index) {
        return urls.get(index);
    }

    EventLoop nextLoop() {
        return group.next();
    }

    /**
     * Reports the result to the listener on {@code loop}.
     *
     * @param token sent with the upgrade, null for none
     * @param narrow use a small receive buffer, so that the server soon notices a client that does not read
     */
    ChatSocket open(
            EventLoop loop,
            int url,
            String path,
            Dialect dialect,
            @Nullable String token,
            boolean narrow,
            boolean answersPings,
            ChatSocket.Listener listener) {
        ServerUrl server = urls.get(url);
        ChatSocket socket =
                new ChatSocket(server.at(path), dialect.subprotocol(), token, dialect.binary(), answersPings, listener);
        SslContext context = server.secure() ? tls : null;
        Bootstrap bootstrap = new Bootstrap()
                .group(loop)
                .channel(channelClass)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.RECVBUF_ALLOCATOR, new AdaptiveRecvByteBufAllocator(512, 2048, MAX_READ_BYTES))
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        if (context != null)
                            channel.pipeline()
                                    .addLast(context.newHandler(
                                            channel.alloc(), server.uri().getHost(), server.port()));
                        channel.pipeline()
                                .addLast(new HttpClientCodec())
                                .addLast(ChatSocket.responseAggregator())
                                .addLast(socket);
                    }
                });
        if (narrow) bootstrap.option(ChannelOption.SO_RCVBUF, NARROW_BYTES);
        ChannelFuture connect = bootstrap.connect(addresses.get(url));
        // Without an address or file descriptor it fails immediately, or on one of Netty's own threads.
        connect.addListener(done -> {
            if (!done.isSuccess()) loop.execute(() -> socket.connected(connect));
        });
        return socket;
    }

    /** Waits for the event loops to end, 5 s at most. */
    @Override
    public void close() {
        group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
    }
}
