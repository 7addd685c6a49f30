package chat.server.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An outbox that many write to at once, and that is closed in the middle of it, keeps nothing. */
class OutboxStressTest {
    private static final int WRITERS = 10;
    private static final int FRAMES = 2_000;

    /** On plain threads: waiting for each other, which sockets do not, counts as blocking on Netty's own. */
    private final EventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(2, Thread.ofPlatform().daemon().factory(), LocalIoHandler.newFactory());

    @AfterEach
    void close() {
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    @Test
    void everyFrameIsReleasedOnceHoweverTheCloseMeetsItsWriters() throws Exception {
        LocalAddress address = new LocalAddress(OutboxStressTest.class);
        ChannelInboundHandlerAdapter releasing = new ChannelInboundHandlerAdapter() {
            @Override
            public boolean isSharable() {
                return true;
            }

            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                ReferenceCountUtil.release(message);
            }
        };
        new io.netty.bootstrap.ServerBootstrap()
                .group(loops)
                .channel(LocalServerChannel.class)
                .childHandler(releasing)
                .bind(address)
                .syncUninterruptibly();
        try (ExecutorService writers = Executors.newFixedThreadPool(WRITERS)) {
            for (int round = 0; round < 20; round++) {
                Channel channel = new io.netty.bootstrap.Bootstrap()
                        .group(loops)
                        .channel(LocalChannel.class)
                        .handler(releasing)
                        .connect(address)
                        .syncUninterruptibly()
                        .channel();
                Outbox outbox = new Outbox(channel, 1 << 20, System::nanoTime, () -> {}, () -> {});
                channel.pipeline().addFirst(outbox.handler());
                CountDownLatch halfway = new CountDownLatch(WRITERS * FRAMES / 2);
                List<Future<List<ByteBuf>>> writing = new ArrayList<>();
                for (int writer = 0; writer < WRITERS; writer++)
                    writing.add(writers.submit(() -> {
                        List<ByteBuf> frames = new ArrayList<>();
                        for (int i = 0; i < FRAMES; i++) {
                            ByteBuf frame = Unpooled.buffer(64)
                                    .writeZero(1 + ThreadLocalRandom.current().nextInt(64));
                            frames.add(frame);
                            outbox.offer(frame);
                            halfway.countDown();
                        }
                        return frames;
                    }));
                halfway.await();
                channel.eventLoop().execute(outbox::close);
                List<ByteBuf> frames = new ArrayList<>();
                for (Future<List<ByteBuf>> writer : writing) frames.addAll(writer.get());
                Awaitility.await().until(() -> outbox.bytes() == 0);
                channel.close().syncUninterruptibly();
                Awaitility.await().until(() -> frames.stream().allMatch(frame -> frame.refCnt() == 0));
            }
        }
    }
}
