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
import io.netty.channel.ChannelOption;
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
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
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
 * A chat platform in miniature: several ports share one ordered log per room, with protocol version 1 on each and
 * history over REST. Everything runs on one thread. {@link Faults} plans its faults.
 */
public final class FakeChat implements AutoCloseable {
    /** Messages in one frame, so that members get what others get in other portions. */
    private static final int PER_FRAME = 7;

    /** Planned faults; numbers count TEXTs of the whole platform from 1, 0 is never. */
    public static final class Faults {
        /** This many JOINs, and this many TEXTs, are answered UNAVAILABLE. */
        public int unavailableJoins;

        public int unavailableTexts;
        /** After this TEXT is in the log, and before anybody sees it, all sockets of the first port end. */
        public int dropAt;
        /** So they do after this JOIN is in the log, and before its WELCOME. */
        public int dropAtJoin;
        /** After this LEAVE is in the log, and before its ACK, the socket of the one who leaves ends. */
        public int dropAtLeave;
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
        /** Rows and deliveries of messages that no client sent. */
        public boolean phantomRow;

        public boolean phantomDelivery;
        /** Every frame in three fragments. */
        public boolean fragmented;
        /** Upgrades are answered with this status. */
        public int upgradeStatus;
        /** So many sockets on all ports; further upgrades are answered with 503 and Retry-After. 0: any. */
        public int places;
        /** Those find their connection closed instead of an answer. */
        public boolean slamsTheDoor;
        /** Pings so often, and closes who has not answered the one before; 0: never. */
        public int pingMillis;
        /** Closes a socket that reads nothing for this time; 0: never. */
        public int writeDeadlineMillis;
        /**
         * TEXTs per second that a session may send, as announced by WELCOME; 0: any. To be independent of the clock, it
         * assumes that clients send twice as many: every second one is RATE_LIMITED.
         */
        public int limitPerSecond;
        /** The announced limit, which is not enforced. */
        public boolean limitIgnored;
        /** Whose user id it is. */
        public String victim = "1";
        /** Which of the TEXTs that the victim gets it does not get, counted from 1. */
        public int withhold;
        /** It gets no messages at all, only answers. */
        public boolean withholdAll;
        /** It gets each TEXT when the next one exists, and so never the last one before its LEAVE. */
        public boolean withholdLast;
        /** Blanks after every frame with messages. */
        public int padding;
        /** Drops the victim's messages without an answer. */
        public boolean ignoreVictim;
        /** So it is with the victim's JOINs; with its LEAVEs. */
        public boolean ignoreJoins;

        public boolean ignoreLeaves;
        /** This LEAVE is refused for good; this many are answered UNAVAILABLE. */
        public int refuseLeave;

        public int unavailableLeaves;
        /** Close frames are not answered. */
        public boolean ignoreCloses;
        /** In the log before the LEAVE, and not seen by the one who leaves. */
        public boolean loseBeforeLeave;
    }

    private record Entry(long position, ChatMessage message, byte[] json) {}

    private static final class Room {
        final RoomId id;
        final List<Entry> log = new ArrayList<>();
        final List<Entry> rows = new ArrayList<>();
        final Map<UUID, Entry> byId = new HashMap<>();
        final List<Seat> seats = new ArrayList<>();
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
    private int upgraded;
    private long position = 1_700_000_000_000_000L * 2048;
    private int texts;
    private int joins;
    private int leaves;

    public FakeChat(int ports, Faults faults) {
        this.faults = faults;
        for (int port = 0; port < ports; port++) {
            int index = port;
            listening.add(new ServerBootstrap()
                    .group(group)
                    .channel(NioServerSocketChannel.class)
                    // Else the kernel takes megabytes before anybody looks stuck.
                    .childOption(ChannelOption.SO_SNDBUF, 64 << 10)
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

    private void text(Seat from, ClientFrame.Text frame) {
        Room room = from.room;
        UUID id = frame.messageId() == null ? UUID.randomUUID() : frame.messageId();
        if (faults.ignoreVictim && from.member.userId().equals(faults.victim)) return;
        if (from.session.isOverLimit()) {
            from.session.send(
                    ("{\"type\":\"ERROR\",\"code\":\"RATE_LIMITED\",\"number\":110,\"roomId\":\"" + room.id.value()
                                    + "\",\"messageId\":\"" + id
                                    + "\",\"errors\":[\"slower, please\"],\"retryable\":true,\"retryAfterMs\":1000}")
                            .getBytes(StandardCharsets.UTF_8));
            return;
        }
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
        if (texts == faults.loseAtVictim) room.seats.forEach(seat -> seat.lose = entry);
        if (texts == faults.doubleAtVictim) room.seats.forEach(seat -> seat.twice = entry);
        if (texts == faults.swapAtVictim) room.seats.forEach(seat -> seat.swap = entry);
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
            for (Seat seat : List.copyOf(room.seats)) seat.deliver();
        });
    }

    /** One member of one room, for as long as it is in. */
    private final class Seat {
        private final Session session;
        private final Room room;
        private final Member member;
        private int cursor;
        private final long welcome;
        private boolean welcomed;
        private final List<Entry> acks = new ArrayList<>();
        private @Nullable Entry lose;
        private @Nullable Entry twice;
        private @Nullable Entry swap;
        private @Nullable Entry held;
        private int textsGot;

        Seat(Session session, Room room, Member member, int cursor, long welcome) {
            this.session = session;
            this.room = room;
            this.member = member;
            this.cursor = cursor;
            this.welcome = welcome;
        }

        void error(FrameError error) {
            session.send(ServerFrames.error(error));
        }

        void deliver() {
            if (session.gone) return;
            if (!welcomed) {
                welcomed = true;
                session.send(session.welcome(room.id, welcome));
            }
            int told = isVictim() && faults.withholdLast ? lastText() : room.log.size();
            while (cursor < told) {
                int end = Math.min(cursor + PER_FRAME, told);
                List<Entry> entries = new ArrayList<>(room.log.subList(cursor, end));
                if (isVictim()) distort(entries);
                cursor = end;
                if (!entries.isEmpty()) session.send(messages(entries));
            }
            acks.removeIf(ack -> {
                if (room.log.get(cursor - 1).position() < ack.position()) return false;
                session.send(ServerFrames.ack(
                        room.id,
                        ack.position(),
                        ack.message().timestamp(),
                        List.of(ack.message().messageId())));
                return true;
            });
        }

        private boolean isVictim() {
            return member.userId().equals(faults.victim);
        }

        /** Where the last TEXT stands, of what it was not told; where there is none, the end. */
        private int lastText() {
            for (int i = room.log.size() - 1; i >= cursor; i--)
                if (room.log.get(i).message().type() == MessageType.TEXT) return i;
            return room.log.size();
        }

        private void distort(List<Entry> entries) {
            if (faults.withholdAll) entries.clear();
            entries.removeIf(entry -> entry.message().type() == MessageType.TEXT && ++textsGot == faults.withhold);
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

        private byte[] messages(List<Entry> entries) {
            long last = entries.stream().mapToLong(Entry::position).max().orElse(0);
            ByteArrayOutputStream json = new ByteArrayOutputStream();
            json.writeBytes(ServerFrames.messagesHead(room.id, last));
            for (int i = 0; i < entries.size(); i++) {
                if (i > 0) json.write(',');
                json.writeBytes(entries.get(i).json());
            }
            json.writeBytes(ServerFrames.MESSAGES_TAIL);
            json.writeBytes(" ".repeat(faults.padding).getBytes(StandardCharsets.US_ASCII));
            return json.toByteArray();
        }

        /** Its own LEAVE is the last it sees. */
        void leave(@Nullable UUID id) {
            Entry entry = append(
                    room, new ChatMessage(id == null ? UUID.randomUUID() : id, member, MessageType.LEAVE, null, now()));
            boolean withheld = isVictim() && faults.withholdLast;
            if (withheld) deliver();
            if (withheld || faults.loseBeforeLeave) cursor = room.log.size();
            acks.add(entry);
            deliver();
            room.seats.remove(this);
        }
    }

    private final class Session extends SimpleChannelInboundHandler<Object> {
        private final int port;
        private final Map<Room, Seat> seats = new LinkedHashMap<>();
        private @Nullable ChannelHandlerContext ctx;
        private @Nullable RoomId path;
        private boolean gone;
        private boolean inside;
        private boolean answered = true;
        private boolean stuck;
        private int offered;

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
                    for (Decoded decoded : decoder.decode(ByteBufUtil.getBytes(text.content()), path)) {
                        switch (decoded) {
                            case Decoded.Valid valid -> act(valid.frame());
                            case Decoded.Refused refused -> send(ServerFrames.error(refused.error()));
                        }
                    }
                }
                case PongWebSocketFrame pong -> answered = true;
                case CloseWebSocketFrame close -> {
                    if (!faults.ignoreCloses)
                        context.writeAndFlush(close.retain()).addListener(ChannelFutureListener.CLOSE);
                }
                default -> {}
            }
        }

        private void http(ChannelHandlerContext context, FullHttpRequest request) {
            QueryStringDecoder uri = new QueryStringDecoder(request.uri());
            String[] parts = uri.path().split("/", -1);
            if (parts.length == 3 && parts[1].equals("chat") && faults.upgradeStatus == 0) {
                path = new RoomId(parts[2]);
                if (faults.places > 0 && upgraded >= faults.places) {
                    full(context);
                    return;
                }
                upgraded++;
                inside = true;
                if (port == 0) onFirstPort.add(this);
                WebSocketServerHandshaker handshaker = new WebSocketServerHandshakerFactory(
                                "ws://127.0.0.1" + request.uri(), "confab.v1", false, 65_536)
                        .newHandshaker(request);
                if (handshaker != null) handshaker.handshake(context.channel(), request);
                if (faults.pingMillis > 0) ping(context);
                return;
            }
            boolean api = parts.length == 5 && parts[1].equals("api") && parts[4].equals("messages");
            byte[] body = api
                    ? page(
                            parts[3],
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

        private void full(ChannelHandlerContext context) {
            if (faults.slamsTheDoor) {
                context.close();
                return;
            }
            DefaultFullHttpResponse response =
                    new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.SERVICE_UNAVAILABLE);
            response.headers().set("content-length", 0).set("retry-after", 1);
            context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
        }

        private void ping(ChannelHandlerContext context) {
            var unused = context.executor()
                    .schedule(
                            () -> {
                                if (!context.channel().isActive()) return;
                                if (!answered) {
                                    context.close();
                                    return;
                                }
                                answered = false;
                                context.writeAndFlush(new PingWebSocketFrame());
                                ping(context);
                            },
                            faults.pingMillis,
                            TimeUnit.MILLISECONDS);
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            stuck = !context.channel().isWritable();
            if (!stuck || faults.writeDeadlineMillis == 0) return;
            var unused = context.executor()
                    .schedule(
                            () -> {
                                if (stuck) context.close();
                            },
                            faults.writeDeadlineMillis,
                            TimeUnit.MILLISECONDS);
        }

        boolean isOverLimit() {
            if (faults.limitPerSecond == 0 || faults.limitIgnored) return false;
            return ++offered % 2 == 0;
        }

        byte[] welcome(RoomId room, long at) {
            byte[] json = ServerFrames.welcome(
                    room, new chat.protocol.Member("1", "fake"), "fake-" + port, at, 1, 25_000, FrameRules.DEFAULT);
            if (faults.limitPerSecond == 0) return json;
            return new String(json, StandardCharsets.UTF_8)
                    .replace("\"limits\":{", "\"limits\":{\"messagesPerSecond\":" + faults.limitPerSecond + ",")
                    .getBytes(StandardCharsets.UTF_8);
        }

        private void act(ClientFrame frame) {
            if (!(frame instanceof ClientFrame.InRoom said))
                throw new AssertionError("the load client gives no new token: " + frame);
            Room room = rooms.computeIfAbsent(said.room().value(), name -> new Room(said.room()));
            Seat seat = seats.get(room);
            switch (said) {
                case ClientFrame.Join join -> join(room, join);
                case ClientFrame.Text text -> {
                    if (seat != null) text(seat, text);
                }
                case ClientFrame.Leave leave -> {
                    if (seat != null) leave(seat, leave.messageId());
                }
                case ClientFrame.Members asked -> throw new AssertionError("the load client does not ask: " + asked);
            }
        }

        private void leave(Seat seat, @Nullable UUID id) {
            if (faults.ignoreLeaves && seat.isVictim()) return;
            if (faults.unavailableLeaves > 0) {
                faults.unavailableLeaves--;
                seat.error(FrameError.unavailable(seat.room.id, id, 20));
                return;
            }
            leaves++;
            if (leaves == faults.refuseLeave) {
                seat.error(FrameError.invalid(seat.room.id, id, List.of("stay, please")));
                return;
            }
            seats.remove(seat.room);
            if (leaves == faults.dropAtLeave) {
                seat.room.seats.remove(seat);
                append(
                        seat.room,
                        new ChatMessage(
                                id == null ? UUID.randomUUID() : id, seat.member, MessageType.LEAVE, null, now()));
                drop();
            } else {
                seat.leave(id);
            }
        }

        private void join(Room room, ClientFrame.Join join) {
            if (faults.ignoreJoins && join.member().userId().equals(faults.victim)) return;
            if (faults.unavailableJoins > 0) {
                faults.unavailableJoins--;
                send(ServerFrames.error(FrameError.unavailable(room.id, null, 20)));
                return;
            }
            long welcome = position;
            int at = room.log.size();
            switch (join.since()) {
                case Since.Resume resume -> {
                    welcome = resume.position();
                    while (at > 0 && room.log.get(at - 1).position() > welcome) at--;
                    if (faults.gapOnResume && at < room.log.size()) {
                        at = room.log.size();
                        send(ServerFrames.gap(
                                room.id, welcome, room.log.get(at - 1).position()));
                        welcome = room.log.get(at - 1).position();
                    }
                }
                case Since.Now now -> {}
                case Since.History history -> throw new IllegalStateException("never asked by the load client");
            }
            Seat seat = new Seat(this, room, join.member(), at, welcome);
            seats.put(room, seat);
            room.seats.add(seat);
            append(room, new ChatMessage(UUID.randomUUID(), join.member(), MessageType.JOIN, null, now()));
            joins++;
            if (joins == faults.dropAtJoin) FakeChat.this.drop();
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
            leaveRooms();
            gone = true;
            if (faults.dropCode == 0) context.close();
            else
                context.writeAndFlush(new CloseWebSocketFrame(faults.dropCode, "dropped"))
                        .addListener(ChannelFutureListener.CLOSE);
        }

        private void leaveRooms() {
            onFirstPort.remove(this);
            for (Seat seat : seats.values()) {
                if (seat.room.seats.remove(seat))
                    append(seat.room, new ChatMessage(UUID.randomUUID(), seat.member, MessageType.LEAVE, null, now()));
            }
            seats.clear();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            if (inside) upgraded--;
            inside = false;
            leaveRooms();
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
