package chat.load.driver;

import chat.protocol.ChatMessage;
import chat.protocol.ClientFrame;
import chat.protocol.ClientFrame.Since;
import chat.protocol.Decoded;
import chat.protocol.FrameDecoder;
import chat.protocol.FrameError;
import chat.protocol.FrameRules;
import chat.protocol.Member;
import chat.protocol.MessageJson;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import chat.protocol.ServerFrames;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketServerHandshaker;
import io.netty.handler.codec.http.websocketx.WebSocketServerHandshakerFactory;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A chat platform in miniature: several ports share one ordered log per room, protocol version 1 on each, history over REST.
 * Everything runs on one thread. {@link Faults} says where it lies or breaks.
 */
public final class FakeChat implements AutoCloseable {
    /** Messages in one frame, so that members get what others get in other portions. */
    private static final int PER_FRAME = 7;

    /** What goes wrong; numbers count TEXTs of the whole platform from 1, 0 is never. The victim is user id 1. */
    public static final class Faults {
        /** This many JOINs, and this many TEXTs, are answered UNAVAILABLE. */
        public int unavailableJoins;

        public int unavailableTexts;
        /** After this TEXT is in the log, and before anybody sees it, all sockets of the first port end. */
        public int dropAt;
        /** With this code; 0: without a word. */
        public int dropCode;
        /** The first port does not listen any more after the drop. */
        public boolean dropForEver;
        /** A member that resumes gets a GAP instead of the messages. */
        public boolean gapOnResume;
        /** Refused for good. */
        public int refuse;
        /** The refused one is in the log nevertheless. */
        public boolean keepRefused;
        /** In the log, and not seen by the victim; seen twice; seen after its successor. */
        public int loseAtVictim;

        public int doubleAtVictim;
        public int swapAtVictim;
        /** Acknowledged, and in no row; in two rows. */
        public int loseRow;

        public int doubleRow;
        /** Rows, and deliveries to all, that nobody sent. */
        public boolean phantomRow;

        public boolean phantomDelivery;
        /** Every frame in three fragments. */
        public boolean fragmented;
        /** Upgrades are answered with this status. */
        public int upgradeStatus;
    }

    private record Entry(long position, ChatMessage message, byte[] json) {}

    private static final class Room {
        final RoomId id;
        final List<Entry> log = new ArrayList<>();
        final List<Entry> rows = new ArrayList<>();
        final Map<UUID, Entry> byId = new HashMap<>();
        final List<Session> sessions = new ArrayList<>();
        boolean flushing;

        Room(RoomId id) {
            this.id = id;
        }
    }

    private final Faults faults;
    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final FrameDecoder decoder = new FrameDecoder(FrameRules.DEFAULT);
    private final Map<String, Room> rooms = new LinkedHashMap<>();
    private final List<Channel> listening = new ArrayList<>();
    private final List<Session> onFirstPort = new ArrayList<>();
    private long position = 1_700_000_000_000_000L * 2048;
    private int texts;

    public FakeChat(int ports, Faults faults) {
        this.faults = faults;
        for (int port = 0; port < ports; port++) {
            int index = port;
            listening.add(new ServerBootstrap()
                    .group(group)
                    .channel(NioServerSocketChannel.class)
                    .childHandler(new ChannelInitializer<SocketChannel>() {
                        @Override
                        protected void initChannel(SocketChannel channel) {
                            channel.pipeline()
                                    .addLast(new HttpServerCodec())
                                    .addLast(new HttpObjectAggregator(65_536))
                                    .addLast(new Session(index));
                        }
                    })
                    .bind("127.0.0.1", 0)
                    .syncUninterruptibly()
                    .channel());
        }
    }

    public List<ServerUrl> urls() {
        return listening.stream()
                .map(channel -> ServerUrl.parse("ws://127.0.0.1:" + port(channel)))
                .toList();
    }

    private static int port(Channel channel) {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
    }

    private Entry append(Room room, ChatMessage message) {
        position += 2048;
        Entry entry = new Entry(position, message, MessageJson.encode(message));
        room.log.add(entry);
        room.byId.put(message.messageId(), entry);
        flushSoon(room);
        return entry;
    }

    private void text(Session from, Room room, ClientFrame.Text frame) {
        UUID id = frame.messageId() == null ? UUID.randomUUID() : frame.messageId();
        Entry known = room.byId.get(id);
        if (known != null) {
            from.acks.add(known);
            flushSoon(room);
            return;
        }
        if (faults.unavailableTexts > 0) {
            faults.unavailableTexts--;
            from.error(FrameError.unavailable(room.id, id, 20));
            return;
        }
        texts++;
        ChatMessage message = new ChatMessage(id, frame.member(), MessageType.TEXT, frame.message(), now());
        if (texts == faults.refuse) {
            from.error(FrameError.invalid(room.id, id, List.of("not this one")));
            if (faults.keepRefused) room.rows.add(append(room, message));
            return;
        }
        Entry entry = append(room, message);
        from.acks.add(entry);
        if (texts != faults.loseRow) room.rows.add(entry);
        if (texts == faults.doubleRow) room.rows.add(entry);
        if (faults.phantomRow && texts == 1) room.rows.add(foreign());
        if (faults.phantomDelivery && texts == 1) room.log.add(foreign());
        if (texts == faults.loseAtVictim) room.sessions.forEach(session -> session.lose = entry);
        if (texts == faults.doubleAtVictim) room.sessions.forEach(session -> session.twice = entry);
        if (texts == faults.swapAtVictim) room.sessions.forEach(session -> session.swap = entry);
        if (texts == faults.dropAt) drop();
    }

    private Entry foreign() {
        position += 2048;
        ChatMessage message =
                new ChatMessage(UUID.randomUUID(), new Member("7", "nobody7"), MessageType.TEXT, "boo", now());
        return new Entry(position, message, MessageJson.encode(message));
    }

    private void drop() {
        if (faults.dropForEver) listening.getFirst().close();
        for (Session session : List.copyOf(onFirstPort)) session.drop();
    }

    private static long now() {
        return System.currentTimeMillis();
    }

    private void flushSoon(Room room) {
        if (room.flushing) return;
        room.flushing = true;
        group.next().execute(() -> {
            room.flushing = false;
            for (Session session : List.copyOf(room.sessions)) session.deliver();
        });
    }

    private final class Session extends SimpleChannelInboundHandler<Object> {
        private final int port;
        private @Nullable ChannelHandlerContext ctx;
        private @Nullable Room room;
        private @Nullable Member member;
        private int cursor;
        private long welcome;
        private boolean welcomed;
        private boolean gone;
        private final List<Entry> acks = new ArrayList<>();
        private @Nullable Entry lose;
        private @Nullable Entry twice;
        private @Nullable Entry swap;

        Session(int port) {
            this.port = port;
        }

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            ctx = context;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, Object message) {
            switch (message) {
                case FullHttpRequest request -> http(context, request);
                case TextWebSocketFrame text -> {
                    RoomId path = room == null ? null : room.id;
                    for (Decoded decoded : decoder.decode(ByteBufUtil.getBytes(text.content()), path)) {
                        switch (decoded) {
                            case Decoded.Valid valid -> act(valid.frame());
                            case Decoded.Refused refused -> error(refused.error());
                        }
                    }
                }
                case CloseWebSocketFrame close ->
                    context.writeAndFlush(close.retain()).addListener(ChannelFutureListener.CLOSE);
                default -> {}
            }
        }

        private void http(ChannelHandlerContext context, FullHttpRequest request) {
            QueryStringDecoder uri = new QueryStringDecoder(request.uri());
            String[] path = uri.path().split("/", -1);
            if (path.length == 3 && path[1].equals("chat") && faults.upgradeStatus == 0) {
                room = rooms.computeIfAbsent(path[2], name -> new Room(new RoomId(name)));
                if (port == 0) onFirstPort.add(this);
                WebSocketServerHandshaker handshaker = new WebSocketServerHandshakerFactory(
                                "ws://127.0.0.1" + request.uri(), "confab.v1", false, 65_536)
                        .newHandshaker(request);
                if (handshaker != null) handshaker.handshake(context.channel(), request);
                return;
            }
            boolean api = path.length == 5 && path[1].equals("api") && path[4].equals("messages");
            byte[] body = api
                    ? page(
                            path[3],
                            Long.parseLong(uri.parameters()
                                    .getOrDefault("after", List.of("0"))
                                    .getFirst()))
                    : new byte[0];
            DefaultFullHttpResponse response = new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1,
                    api
                            ? HttpResponseStatus.OK
                            : HttpResponseStatus.valueOf(faults.upgradeStatus == 0 ? 404 : faults.upgradeStatus),
                    Unpooled.wrappedBuffer(body));
            response.headers().set("content-length", body.length).set("content-type", "application/json");
            context.writeAndFlush(response);
        }

        private void act(ClientFrame frame) {
            Room here = room;
            if (here == null) return;
            switch (frame) {
                case ClientFrame.Join join -> join(here, join);
                case ClientFrame.Text text -> text(this, here, text);
                case ClientFrame.Leave leave -> {
                    here.sessions.remove(this);
                    append(here, note(leave.member(), MessageType.LEAVE));
                }
            }
        }

        private void join(Room here, ClientFrame.Join join) {
            if (faults.unavailableJoins > 0) {
                faults.unavailableJoins--;
                error(FrameError.unavailable(here.id, null, 20));
                return;
            }
            long before = position;
            int at = here.log.size();
            switch (join.since()) {
                case Since.Resume resume -> {
                    welcome = resume.position();
                    while (at > 0 && here.log.get(at - 1).position() > welcome) at--;
                    if (faults.gapOnResume && at < here.log.size()) {
                        at = here.log.size();
                        send(ServerFrames.gap(
                                here.id, welcome, here.log.get(at - 1).position()));
                        welcome = here.log.get(at - 1).position();
                    }
                }
                case Since.Now now -> welcome = before;
                case Since.History history -> throw new IllegalStateException("never asked by the load client");
            }
            cursor = at;
            member = join.member();
            here.sessions.add(this);
            append(here, note(join.member(), MessageType.JOIN));
        }

        private ChatMessage note(Member who, MessageType type) {
            return new ChatMessage(UUID.randomUUID(), who, type, null, now());
        }

        void deliver() {
            Room here = room;
            Member me = member;
            if (here == null || me == null || gone) return;
            if (!welcomed) {
                welcomed = true;
                send(ServerFrames.welcome(here.id, "fake-" + port, welcome, 1, 25_000, FrameRules.DEFAULT));
            }
            while (cursor < here.log.size()) {
                int end = Math.min(cursor + PER_FRAME, here.log.size());
                List<Entry> entries = new ArrayList<>(here.log.subList(cursor, end));
                if (me.userId().equals("1")) distort(entries);
                cursor = end;
                if (!entries.isEmpty()) send(messages(here, entries));
            }
            for (Entry ack : acks)
                send(ServerFrames.ack(
                        here.id,
                        ack.position(),
                        ack.message().timestamp(),
                        List.of(ack.message().messageId())));
            acks.clear();
        }

        private void distort(List<Entry> entries) {
            if (lose != null) entries.remove(lose);
            if (twice != null && entries.contains(twice)) {
                entries.add(entries.indexOf(twice), twice);
                twice = null;
            }
            int at = swap == null ? -1 : entries.indexOf(swap);
            if (at > 0) {
                Entry moved = entries.remove(at);
                entries.addFirst(moved);
                swap = null;
            } else if (at == 0 && entries.size() > 1) {
                entries.add(1, entries.removeFirst());
                swap = null;
            } else if (at == 0) {
                // Alone in its frame: it goes along with the next one, behind it.
                entries.clear();
                held = swap;
            } else if (held != null && !entries.isEmpty()) {
                entries.add(held);
                held = null;
                swap = null;
            }
        }

        private @Nullable Entry held;

        private byte[] messages(Room here, List<Entry> entries) {
            long last = entries.stream().mapToLong(Entry::position).max().orElse(0);
            ByteArrayOutputStream json = new ByteArrayOutputStream();
            json.writeBytes(ServerFrames.messagesHead(here.id, last));
            for (int i = 0; i < entries.size(); i++) {
                if (i > 0) json.write(',');
                json.writeBytes(entries.get(i).json());
            }
            json.writeBytes(ServerFrames.MESSAGES_TAIL);
            return json.toByteArray();
        }

        void error(FrameError error) {
            send(ServerFrames.error(error));
        }

        private void send(byte[] json) {
            ChannelHandlerContext context = ctx;
            if (context == null || gone) return;
            ByteBuf bytes = Unpooled.wrappedBuffer(json);
            if (!faults.fragmented) {
                context.writeAndFlush(new TextWebSocketFrame(bytes));
                return;
            }
            int third = json.length / 3;
            context.writeAndFlush(new TextWebSocketFrame(false, 0, bytes.readRetainedSlice(third)));
            context.writeAndFlush(new ContinuationWebSocketFrame(false, 0, bytes.readRetainedSlice(third)));
            context.writeAndFlush(new ContinuationWebSocketFrame(true, 0, bytes));
        }

        void drop() {
            ChannelHandlerContext context = ctx;
            if (context == null) return;
            leaveRoom();
            gone = true;
            if (faults.dropCode == 0) context.close();
            else
                context.writeAndFlush(new CloseWebSocketFrame(faults.dropCode, "dropped"))
                        .addListener(ChannelFutureListener.CLOSE);
        }

        private void leaveRoom() {
            Room here = room;
            Member me = member;
            onFirstPort.remove(this);
            if (here != null && me != null && here.sessions.remove(this)) append(here, note(me, MessageType.LEAVE));
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            leaveRoom();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }

    private byte[] page(String roomId, long after) {
        Room room = rooms.get(roomId);
        List<Entry> rows = room == null ? List.of() : room.rows;
        int limit = 10;
        List<String> json = new ArrayList<>();
        long last = -1;
        boolean more = false;
        for (Entry row : rows) {
            // A doubled row shares its position, and so stands on the page of the first.
            if (row.position() <= after) continue;
            if (json.size() >= limit && row.position() != last) {
                more = true;
                break;
            }
            last = row.position();
            ChatMessage message = row.message();
            json.add("{\"position\":\"" + row.position() + "\",\"messageId\":\"" + message.messageId()
                    + "\",\"messageType\":\"TEXT\",\"userId\":\""
                    + message.member().userId() + "\",\"username\":\""
                    + message.member().username() + "\",\"message\":\"" + message.text() + "\",\"timestamp\":"
                    + message.timestamp() + ",\"serverId\":\"fake\"}");
        }
        return ("{\"roomId\":\"" + roomId + "\",\"messages\":[" + String.join(",", json) + "],\"next\":"
                        + (more ? "\"" + last + "\"" : "null") + ",\"storedThrough\":\"" + position + "\"}")
                .getBytes(StandardCharsets.UTF_8);
    }
}
