package chat.load.lab.self;

import chat.load.driver.ServerUrl;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolConfig;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Measures the load client: keeps the TEXTs of a room until all have arrived, builds the frames once and writes the
 * same bytes to every member as fast as each reads. It implements only the part of the protocol that the load client
 * needs to verify deliveries. Single-threaded.
 */
final class BlastServer implements AutoCloseable {
    /** Large enough to keep a socket busy, small enough not to fill the heap if the reader is slower. */
    private static final WriteBufferWaterMark WATER = new WriteBufferWaterMark(256 << 10, 512 << 10);

    private final int users;
    private final int textsPerUser;
    private final int textsPerFrame;
    private final EventLoopGroup group;
    private final InetSocketAddress address;
    private final Map<String, Room> rooms = new HashMap<>();
    private long position = 1;

    /**
     * @param users members of each room
     * @param textsPerFrame number of TEXTs in one frame
     */
    BlastServer(int users, int textsPerUser, int textsPerFrame) {
        this.users = users;
        this.textsPerUser = textsPerUser;
        this.textsPerFrame = textsPerFrame;
        boolean epoll = Epoll.isAvailable();
        group = new MultiThreadIoEventLoopGroup(1, epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
        Class<? extends ServerChannel> channel = epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
        address = (InetSocketAddress) new ServerBootstrap()
                .group(group)
                .channel(channel)
                .option(ChannelOption.SO_BACKLOG, 4096)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel socket) {
                        socket.pipeline()
                                .addLast(new HttpServerCodec())
                                .addLast(new HttpObjectAggregator(65_536))
                                .addLast(new WebSocketServerProtocolHandler(WebSocketServerProtocolConfig.newBuilder()
                                        .websocketPath("/chat")
                                        .checkStartsWith(true)
                                        .subprotocols("confab.v1")
                                        .handleCloseFrames(false)
                                        .build()))
                                .addLast(new Session());
                    }
                })
                .bind("127.0.0.1", 0)
                .syncUninterruptibly()
                .channel()
                .localAddress();
    }

    ServerUrl url() {
        return ServerUrl.parse("ws://127.0.0.1:" + address.getPort());
    }

    @Override
    public void close() {
        group.submit(() -> rooms.values().forEach(room -> room.frames.forEach(ByteBuf::release)))
                .awaitUninterruptibly();
        group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
    }

    private static final class Room {
        final String id;
        final List<Session> members = new ArrayList<>();
        final List<String> texts = new ArrayList<>();
        /** The WebSocket frames that every member receives; empty until all TEXTs have arrived. */
        final List<ByteBuf> frames = new ArrayList<>();

        Room(String id) {
            this.id = id;
        }
    }

    private void blast(Room room) {
        for (int from = 0; from < room.texts.size(); from += textsPerFrame) {
            List<String> texts = room.texts.subList(from, Math.min(room.texts.size(), from + textsPerFrame));
            position += texts.size();
            room.frames.add(frame("{\"type\":\"MESSAGES\",\"roomId\":\"" + room.id + "\",\"position\":\"" + position
                    + "\",\"messages\":[" + String.join(",", texts) + "]}"));
        }
        room.texts.clear();
        for (Session member : room.members) member.pump();
    }

    /** In wire format: final, unmasked, text. */
    private static ByteBuf frame(String json) {
        byte[] payload = json.getBytes(StandardCharsets.US_ASCII);
        ByteBuf frame = Unpooled.directBuffer(payload.length + 10);
        frame.writeByte(0x81);
        if (payload.length < 126) frame.writeByte(payload.length);
        else if (payload.length < 65_536) frame.writeByte(126).writeShort(payload.length);
        else frame.writeByte(127).writeLong(payload.length);
        return frame.writeBytes(payload);
    }

    private ByteBuf ack(Room room, CharSequence ids) {
        return frame("{\"type\":\"ACK\",\"status\":\"accepted\",\"roomId\":\"" + room.id + "\",\"position\":\""
                + position + "\",\"timestamp\":1,\"messageIds\":[" + ids + "]}");
    }

    private final class Session extends SimpleChannelInboundHandler<WebSocketFrame> {
        private @Nullable ChannelHandlerContext context;
        private @Nullable Room room;
        private final StringBuilder ids = new StringBuilder();
        private int next;
        private boolean acknowledged;

        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            context = ctx;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, WebSocketFrame frame) {
            if (frame instanceof CloseWebSocketFrame close) {
                ctx.writeAndFlush(close.retain()).addListener(sent -> ctx.close());
            } else if (frame instanceof TextWebSocketFrame) {
                hear(ctx, frame.content().toString(StandardCharsets.US_ASCII));
            }
        }

        private void hear(ChannelHandlerContext ctx, String json) {
            switch (field(json, "messageType")) {
                case "JOIN" -> {
                    Room joined = rooms.computeIfAbsent(field(json, "roomId"), Room::new);
                    room = joined;
                    joined.members.add(this);
                    ByteBuf welcome = ByteBufUtil.writeAscii(
                            ctx.alloc(),
                            "{\"type\":\"WELCOME\",\"roomId\":\"" + joined.id + "\",\"position\":\"0\",\"members\":1}");
                    ctx.writeAndFlush(new TextWebSocketFrame(welcome));
                }
                case "TEXT" -> {
                    Room here = room;
                    if (here == null) return;
                    String id = field(json, "messageId");
                    ids.append(ids.isEmpty() ? "\"" : ",\"").append(id).append('"');
                    here.texts.add("{\"messageType\":\"TEXT\",\"messageId\":\"" + id + "\",\"userId\":\""
                            + field(json, "userId") + "\",\"username\":\"" + field(json, "username")
                            + "\",\"message\":\"" + field(json, "message") + "\",\"timestamp\":1795222910960}");
                    if (here.texts.size() == users * textsPerUser) blast(here);
                }
                case "LEAVE" -> {
                    Room left = room;
                    if (left != null) ctx.writeAndFlush(ack(left, '"' + field(json, "messageId") + '"'));
                }
                default -> {}
            }
        }

        /** Needs no unescaping because the client writes no escapes. */
        private static String field(String json, String name) {
            int from = json.indexOf("\"" + name + "\":\"");
            if (from < 0) return "";
            int begin = from + name.length() + 4;
            return json.substring(begin, json.indexOf('"', begin));
        }

        void pump() {
            Room here = room;
            ChannelHandlerContext ctx = context;
            if (here == null || ctx == null || here.frames.isEmpty()) return;
            boolean wrote = false;
            while (next < here.frames.size() && ctx.channel().isWritable()) {
                ctx.write(here.frames.get(next++).retainedDuplicate(), ctx.voidPromise());
                wrote = true;
            }
            if (next == here.frames.size() && !acknowledged) {
                acknowledged = true;
                wrote = true;
                ctx.write(ack(here, ids));
            }
            if (wrote) ctx.flush();
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            if (ctx.channel().isWritable()) pump();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }
}
