package chat.server.room;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.LogPartition.Offer;
import chat.log.OutgoingMessage;
import chat.protocol.ChatMessage;
import chat.protocol.ClientFrame.Since;
import chat.protocol.CloseCode;
import chat.protocol.Member;
import chat.protocol.MessageJson;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One session in one room, as the rooms see it: says what the test wants, remembers what it is sent. */
final class FakeMember extends DirectSubscriber implements Membership.Refusals {
    private final Rooms rooms;
    private final Clock clock;
    private Membership membership;
    private final List<JsonNode> frames = new ArrayList<>();
    private final List<String> refusals = new ArrayList<>();
    private @Nullable CloseCode closed;
    private @Nullable SlowCause slowFor;
    private volatile boolean keepsUp = true;

    FakeMember(Rooms rooms, Clock clock, RoomId room, int user, Since since) {
        this(rooms, clock, room, user, since, false);
    }

    FakeMember(Rooms rooms, Clock clock, RoomId room, int user, Since since, boolean wantsStored) {
        this(rooms, clock, room, user, since, wantsStored, new EventLoopQueue(Runnable::run, 1 << 20));
    }

    FakeMember(Rooms rooms, Clock clock, RoomId room, int user, Since since, EventLoopQueue queue) {
        this(rooms, clock, room, user, since, false, queue);
    }

    private FakeMember(
            Rooms rooms, Clock clock, RoomId room, int user, Since since, boolean wantsStored, EventLoopQueue queue) {
        super(queue);
        this.rooms = rooms;
        this.clock = clock;
        this.membership =
                new Membership(room, new Member(Integer.toString(user), "user" + user), since, wantsStored, this, this);
    }

    Membership membership() {
        return membership;
    }

    @Override
    public boolean hasToken() {
        return true;
    }

    FakeMember join() {
        join(UUID.randomUUID());
        return this;
    }

    /** Joins; waits first if the log is full. */
    FakeMember joinWhenThereIsRoom() {
        UUID id = UUID.randomUUID();
        offerWhenThereIsRoom(message(MessageType.JOIN, null, id), new PendingAck(membership, MessageType.JOIN, id));
        return this;
    }

    FakeMember joined() {
        join();
        await("WELCOME", () -> !frames("WELCOME").isEmpty());
        return this;
    }

    UUID text(String text) {
        UUID id = UUID.randomUUID();
        text(text, id);
        return id;
    }

    void text(String text, UUID id) {
        say(MessageType.TEXT, text, id);
    }

    /** Sends a TEXT; waits first if the log is full. */
    void textWhenThereIsRoom(String text) {
        UUID id = UUID.randomUUID();
        offerWhenThereIsRoom(message(MessageType.TEXT, text, id), new PendingAck(membership, MessageType.TEXT, id));
    }

    private void offerWhenThereIsRoom(OutgoingMessage message, PendingAck sent) {
        if (rooms.offer(message, sent) != Offer.TAKEN)
            await("room in the log", () -> rooms.offer(message, sent) == Offer.TAKEN);
    }

    /** Says it and waits for its ACK: the message has an entry of its own. */
    void said(String text) {
        UUID id = text(text);
        await("ACK", () -> acks().contains(id.toString()));
    }

    UUID leave() {
        UUID id = UUID.randomUUID();
        leave(id);
        return id;
    }

    void leave(UUID id) {
        say(MessageType.LEAVE, null, id);
    }

    void join(UUID id) {
        say(MessageType.JOIN, null, id);
    }

    /** Joins the same room again on the same socket. */
    void joinAgain(Since since) {
        membership = new Membership(membership.room(), membership.member(), since, false, this, this);
        join();
    }

    /** The same socket and user in a further room. */
    void joinAlso(RoomId room, Since since) {
        Membership further = new Membership(room, membership.member(), since, false, this, this);
        offerWhenThereIsRoom(
                message(further, MessageType.JOIN, null, UUID.randomUUID()),
                new PendingAck(further, MessageType.JOIN, null));
    }

    /** Its socket is closed, and the log does not take a LEAVE. */
    void leaveLater() {
        rooms.leaveLater(
                message(MessageType.LEAVE, null, UUID.randomUUID()),
                new PendingAck(membership, MessageType.LEAVE, null));
    }

    private void say(MessageType type, @Nullable String text, UUID id) {
        assertThat(rooms.offer(message(type, text, id), new PendingAck(membership, type, id)))
                .isEqualTo(Offer.TAKEN);
    }

    private OutgoingMessage message(MessageType type, @Nullable String text, UUID id) {
        return message(membership, type, text, id);
    }

    private OutgoingMessage message(Membership by, MessageType type, @Nullable String text, UUID id) {
        byte[] json = MessageJson.encode(new ChatMessage(id, by.member(), type, text, clock.millis()));
        return new OutgoingMessage(by.room(), id, type, by.member().userId(), clock.millis(), new byte[0], json);
    }

    @Override
    public synchronized void write(ByteBuf frame) {
        int length = frame.skipBytes(1).readUnsignedByte();
        if (length == 126) frame.skipBytes(2);
        if (length == 127) frame.skipBytes(8);
        frames.add(JsonMapper.shared().readTree(frame.toString(StandardCharsets.UTF_8)));
        frame.release();
    }

    void keepsUp(boolean now) {
        keepsUp = now;
    }

    @Override
    public boolean keepsUp() {
        return keepsUp;
    }

    @Override
    public synchronized void close(CloseCode code) {
        if (closed == null) closed = code;
    }

    @Override
    public synchronized void closeSlow(SlowCause cause) {
        if (slowFor == null) slowFor = cause;
        close(CloseCode.SLOW);
    }

    synchronized @Nullable SlowCause slowFor() {
        return slowFor;
    }

    @Override
    public synchronized boolean isOpen() {
        return closed == null;
    }

    synchronized @Nullable CloseCode closed() {
        return closed;
    }

    @Override
    public synchronized void joinRefused(Membership refused, @Nullable UUID messageId) {
        refusals.add("JOIN");
    }

    @Override
    public synchronized void textRefused(Membership refused, @Nullable UUID messageId) {
        refusals.add("TEXT " + messageId);
    }

    @Override
    public synchronized void conflict(Membership refused, MessageType type, @Nullable UUID messageId) {
        refusals.add("CONFLICT " + type + " " + messageId);
    }

    @Override
    public synchronized void leaveRefused(Membership refused, @Nullable UUID messageId) {
        refusals.add("LEAVE " + messageId);
    }

    synchronized List<String> refusals() {
        return List.copyOf(refusals);
    }

    synchronized List<JsonNode> frames() {
        return List.copyOf(frames);
    }

    /** The types of all frames, in order. */
    List<String> types() {
        return frames().stream().map(frame -> frame.get("type").asString()).toList();
    }

    List<JsonNode> frames(String type) {
        return frames().stream()
                .filter(frame -> frame.get("type").asString().equals(type))
                .toList();
    }

    /** The messages that the member received: texts, and JOIN or LEAVE with the user. */
    List<String> heard() {
        List<String> heard = new ArrayList<>();
        for (JsonNode frame : frames("MESSAGES"))
            for (JsonNode message : frame.get("messages")) {
                JsonNode text = message.get("message");
                heard.add(
                        text != null
                                ? text.asString()
                                : message.get("messageType").asString() + " "
                                        + message.get("userId").asString());
            }
        return heard;
    }

    /** Messages that came alone in their frames, with their positions. */
    List<RecentMessage> recent() {
        List<RecentMessage> recent = new ArrayList<>();
        for (JsonNode frame : frames("MESSAGES")) {
            assertThat(frame.get("messages").size()).isEqualTo(1);
            recent.add(new RecentMessage(
                    position(frame), frame.get("messages").get(0).toString().getBytes(StandardCharsets.UTF_8)));
        }
        return recent;
    }

    static long position(JsonNode frame) {
        return Long.parseLong(frame.get("position").asString());
    }

    long lastPosition() {
        return position(frames("MESSAGES").getLast());
    }

    List<String> acks() {
        List<String> ids = new ArrayList<>();
        for (JsonNode frame : frames("ACK")) frame.get("messageIds").forEach(id -> ids.add(id.asString()));
        return ids;
    }

    void awaitHeard(String last) {
        await("hearing " + last, () -> heard().contains(last));
    }

    void await(String what, Callable<Boolean> condition) {
        Awaitility.await(what)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(2))
                .until(condition);
    }
}
