package chat.server.intake;

import chat.kit.identity.Identity;
import chat.log.LogPartition.Offer;
import chat.log.OutgoingMessage;
import chat.protocol.ChatMessage;
import chat.protocol.ClientFrame;
import chat.protocol.Decoded;
import chat.protocol.ErrorCode;
import chat.protocol.FrameDecoder;
import chat.protocol.FrameError;
import chat.protocol.Member;
import chat.protocol.MessageJson;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import chat.server.admission.Rates;
import chat.server.admission.SessionRates;
import chat.server.identity.SessionIdentity;
import chat.server.identity.TokenCheck;
import chat.server.room.Membership;
import chat.server.room.PendingAck;
import chat.server.room.Rooms;
import chat.server.room.Subscriber;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What one session says, taken in order. Each frame ends as an error, or in the log under an id and the server's time;
 * where the log has no room at the moment, the rest waits, and the session reads nothing more until then. What comes too
 * fast waits at a gate before that, while the session reads on, or is refused there. Confined to the session's event loop.
 */
public final class Intake {
    /** Looking at a token costs more than most frames. */
    private static final long NANOS_BETWEEN_TOKENS = TimeUnit.SECONDS.toNanos(1);

    private final Rooms rooms;
    private final FrameDecoder decoder;
    private final IntakeSettings settings;
    private final Clock clock;
    private final LongSupplier nanoTime;
    private final Supplier<UUID> ids;
    private final IntakeCounters counters;
    private final byte[] clientAddress;
    private final SessionIdentity speaker;
    private final Session session;
    private final Map<RoomId, Membership> memberships = new HashMap<>(2);
    /** Whose last JOIN was refused, but may be tried again: what was sent behind it is no fault of the client's. */
    private Set<RoomId> refusedForNow = Set.of();

    /** Null where nothing limits how fast it may send. */
    private final @Nullable SessionRates<ClientFrame.InRoom> gate;
    /** Of the last frame: what has not come to the gate. */
    private final Deque<Decoded> arriving = new ArrayDeque<>();
    /** Past the gate, and not yet taken. */
    private final Deque<Decoded> waiting = new ArrayDeque<>();
    /** The first of those waits for something; what that is will go on with it. */
    private boolean stuck;
    /** Of the last frame. */
    private int frameBytes;
    /** The same while something of it waits, and counted; else 0. */
    private int waitingBytes;
    /** A frame has been asked for, and has not come. */
    private boolean reading = true;
    /** A JOIN or LEAVE is held at the gate: what follows depends on it. */
    private boolean gateShut;

    private long lastInRoomNanos;
    private long lastTokenNanos;
    private int faults;
    private boolean ended;

    /** The session as its intake sees it. */
    public interface Session {
        Subscriber subscriber();

        void reply(FrameError error);

        /** The session's new token counts; it ends then, milliseconds since 1970. */
        void tokenTaken(long expiresAt);

        /** Runs a step on the session's event loop. */
        void execute(Runnable step);

        /** All that was received has been taken: more may be read. */
        void readMore();

        /** The session has sent too many faulty frames. */
        void abused();

        /** The session has sent too much that was refused for its rate. */
        void tooFast();

        /** Runs a step on the session's event loop after so long. */
        void executeAfter(long nanos, Runnable step);
    }

    /**
     * @param clock for the times of messages
     * @param nanoTime for everything that is measured, as {@link System#nanoTime}
     * @param ids for messages that come without one
     * @param clientAddress 4 or 16 bytes, or none
     * @param speaker who the session is
     */
    public Intake(
            Rooms rooms,
            FrameDecoder decoder,
            IntakeSettings settings,
            Clock clock,
            LongSupplier nanoTime,
            Supplier<UUID> ids,
            IntakeCounters counters,
            Rates rates,
            byte[] clientAddress,
            SessionIdentity speaker,
            Session session) {
        this.rooms = rooms;
        this.decoder = decoder;
        this.settings = settings;
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.ids = ids;
        this.counters = counters;
        this.clientAddress = clientAddress;
        this.speaker = speaker;
        this.session = session;
        this.lastInRoomNanos = nanoTime.getAsLong();
        this.lastTokenNanos = lastInRoomNanos - NANOS_BETWEEN_TOKENS;
        this.gate = rates.forSession(new AtTheGate());
    }

    /** Takes one text frame; calls {@link Session#readMore} as soon as all of it has been dealt with. */
    public void receive(byte[] utf8, RoomId pathRoom) {
        reading = false;
        frameBytes = utf8.length;
        // Without a gate there is nothing to come to.
        (gate == null ? waiting : arriving).addAll(decoder.decode(utf8, pathRoom, speaker.known()));
        proceed();
        // Of this frame, or of the next one, which may have come by then.
        boolean waits = !ended && !reading && !(waiting.isEmpty() && arriving.isEmpty());
        if (waits) countWaiting(frameBytes);
    }

    /** @param bytes of the frame of which something waits; 0: none does */
    private void countWaiting(int bytes) {
        if (bytes == waitingBytes) return;
        counters.waitingBytes.add(bytes - waitingBytes);
        waitingBytes = bytes;
    }

    /** What the first of those that wait has waited for has happened. */
    private void goOn() {
        stuck = false;
        proceed();
    }

    private void proceed() {
        while (!ended && !stuck) {
            Decoded next = waiting.peek();
            if (next != null) {
                stuck = true; // what it waits for may have happened when this is known
                if (deal(next)) stuck = false;
                continue;
            }
            if (gateShut) return;
            next = arriving.poll();
            if (next == null) break;
            if (comesPast(next)) waiting.add(next);
        }
        if (ended || stuck || reading) return;
        reading = true;
        countWaiting(0);
        session.readMore();
    }

    /** Returns whether the next may be dealt with now; else that is seen to. */
    private boolean deal(Decoded next) {
        switch (next) {
            case Decoded.Valid(ClientFrame.Posted frame) -> {
                if (waitsForJoin(frame.room())) return false;
                if (take(frame) == Offer.FULL) {
                    counters.paused.increment();
                    rooms.whenRoom(frame.room(), () -> session.execute(this::goOn));
                    return false;
                }
            }
            case Decoded.Valid(ClientFrame.Members asked) -> {
                if (waitsForJoin(asked.room())) return false;
                if (asks(asked)) {
                    waiting.poll();
                    return false;
                }
            }
            case Decoded.Valid(ClientFrame.Token token) -> {
                if (renews(token)) {
                    waiting.poll();
                    return false;
                }
            }
            case Decoded.Refused refused -> refuse(refused.error());
        }
        waiting.poll();
        return true;
    }

    /** Whether it may be taken now, as far as its rate goes; else it was refused, or is held. */
    private boolean comesPast(Decoded next) {
        SessionRates<ClientFrame.InRoom> past = gate;
        if (past == null || !(next instanceof Decoded.Valid(ClientFrame frame))) return true;
        SessionRates.Decision decision = switch (frame) {
            case ClientFrame.Join join ->
                past.admit(
                        join,
                        check(join, membershipOf(join)) == null ? join.member().userId() : null,
                        rooms.knows(join.room()) ? SessionRates.Kind.JOIN : SessionRates.Kind.JOIN_OF_NEW_ROOM);
            case ClientFrame.Text text -> past.admit(text, userOf(text), SessionRates.Kind.MESSAGE);
            case ClientFrame.Members asked -> past.admit(asked, userOf(asked), SessionRates.Kind.MESSAGE);
            // It needs a JOIN, which was counted; and nobody must be kept from going.
            case ClientFrame.Leave leave -> past.keepInOrder(leave);
            // One a second; and it must not be too late for what it is about.
            case ClientFrame.Token unused -> SessionRates.Decision.NOW;
        };
        if (decision == SessionRates.Decision.HELD) gateShut = isDependedOn(frame);
        return decision == SessionRates.Decision.NOW;
    }

    /** By what comes after it. */
    private static boolean isDependedOn(ClientFrame frame) {
        return frame instanceof ClientFrame.Join || frame instanceof ClientFrame.Leave;
    }

    private @Nullable Membership membershipOf(ClientFrame.InRoom frame) {
        return memberships.get(frame.room());
    }

    /** Not who it says that it is from: that another pays for it must not be possible. */
    private @Nullable String userOf(ClientFrame.InRoom frame) {
        Membership membership = membershipOf(frame);
        return membership == null ? null : membership.member().userId();
    }

    private final class AtTheGate implements SessionRates.Owner<ClientFrame.InRoom> {
        @Override
        public void passed(ClientFrame.InRoom frame) {
            if (isDependedOn(frame)) gateShut = false;
            waiting.add(new Decoded.Valid(frame));
            proceed();
        }

        @Override
        public void rejected(ClientFrame.InRoom frame, String why, long nanos) {
            if (frame instanceof ClientFrame.Join) joinRefusedForNow(frame.room());
            int millis = (int) Math.min(Integer.MAX_VALUE, Math.ceilDiv(nanos, 1_000_000L));
            reply(FrameError.rateLimited(frame, why, millis));
            if (!gateShut || !isDependedOn(frame)) return;
            gateShut = false;
            session.execute(Intake.this::proceed);
        }

        @Override
        public void tooFast() {
            drop();
            session.tooFast();
        }

        @Override
        public void execute(Runnable step) {
            session.execute(step);
        }

        @Override
        public void executeAfter(long nanos, Runnable step) {
            session.executeAfter(nanos, step);
        }
    }

    /**
     * The socket is being closed: what it has sent and what still waits here is not said any more, since its answer could not be told. The
     * LEAVEs follow at the {@linkplain #end end}.
     */
    public void close() {
        drop();
    }

    private void drop() {
        waiting.clear();
        arriving.clear();
        countWaiting(0);
        if (gate != null) gate.close();
    }

    /**
     * Whether the room's JOIN is still on its way, or its refusal on the way to this session; then this goes on when that is
     * here. Behind a JOIN that does not get into the log nothing else may.
     */
    private boolean waitsForJoin(RoomId room) {
        Membership membership = memberships.get(room);
        if (membership == null) return false;
        if (!membership.isDecided() && whenDecided(membership)) return true;
        if (!membership.isRefused()) return false;
        session.execute(this::goOn); // behind the step that ends the membership
        return true;
    }

    private boolean whenDecided(Membership membership) {
        return membership.whenDecided(() -> session.execute(() -> {
            if (!ended) goOn();
            else if (memberships.remove(membership.room(), membership)) leaveUnlessRefused(membership);
        }));
    }

    /**
     * Asks the room who is there. What follows waits for the answer, so a session has one question under way.
     *
     * @return false where it is refused at once
     */
    private boolean asks(ClientFrame.Members asked) {
        Membership membership = memberships.get(asked.room());
        FrameError error = checkMember(asked, membership);
        if (error != null || membership == null) {
            if (error != null) refuse(error);
            return false;
        }
        rooms.roster(
                membership, asked.after(), asked.limit(), answered -> session.execute(() -> answered(asked, answered)));
        return true;
    }

    private void answered(ClientFrame.Members asked, boolean sent) {
        if (ended) return;
        if (sent) {
            counters.answered.increment();
            if (faults > 0) faults--;
        } else {
            reply(notJoined(asked)); // it was, when it asked
        }
        goOn();
    }

    /**
     * Has a new token looked at. What follows waits for the answer, since it may be about what the token allows.
     *
     * @return false where it is refused at once
     */
    private boolean renews(ClientFrame.Token token) {
        CompletionStage<Identity> asked = null;
        if (nanoTime.getAsLong() - lastTokenNanos < NANOS_BETWEEN_TOKENS)
            refuse(invalidToken("one token a second is enough"));
        else if ((asked = speaker.ask(token)) == null) refuse(invalidToken("this server does not ask for tokens"));
        if (asked == null) return false;
        lastTokenNanos = nanoTime.getAsLong();
        asked.whenComplete((identity, failure) -> session.execute(() -> renewed(identity, failure)));
        return true;
    }

    private static FrameError invalidToken(String error) {
        return FrameError.invalid(null, null, List.of(error));
    }

    private void renewed(@Nullable Identity identity, @Nullable Throwable failure) {
        if (ended) return;
        if (identity == null) refuse(invalidToken(TokenCheck.reason(failure)));
        else if (!speaker.renew(identity)) refuse(invalidToken("the token is another user's"));
        else {
            leaveWhereNotAllowed();
            session.tokenTaken(speaker.expiresAtMillis());
        }
        goOn();
    }

    /** Rooms that the old token allowed and the new one does not. */
    private void leaveWhereNotAllowed() {
        for (Membership membership : List.copyOf(memberships.values())) {
            if (speaker.mayStay(membership.room())) continue;
            membership.forbid();
            left(membership.room());
            rooms.departing(membership);
            boolean waits = membership.whenDecided(() -> session.execute(() -> leaveUnlessRefused(membership)));
            if (!waits) leaveUnlessRefused(membership);
            reply(FrameError.forbidden(membership.room(), "the new token does not allow room " + membership.room()));
        }
    }

    /** When the session's token counts no more, from now in milliseconds; far away where it needs none. */
    public long millisToTokenEnd() {
        return speaker.millisLeft();
    }

    /** See {@link Subscriber#tokenExpiresAt}; any thread. */
    public long tokenExpiresAt() {
        return speaker.expiresAtMillis();
    }

    /** Returns FULL where it must be tried again; everything else is final. */
    private Offer take(ClientFrame.Posted frame) {
        Membership membership = memberships.get(frame.room());
        FrameError error = check(frame, membership);
        if (error != null) {
            refuse(error);
            return Offer.TAKEN;
        }
        Membership by = membership != null ? membership : newMembership(frame);
        Offer offer = offer(frame, by);
        switch (offer) {
            case FULL -> {
                return offer;
            }
            case UNAVAILABLE -> {
                if (frame instanceof ClientFrame.Join) joinRefusedForNow(frame.room());
                reply(unavailable(frame.room(), frame.messageId()));
            }
            case TAKEN -> {
                counters.taken.increment();
                if (faults > 0) faults--;
                if (frame instanceof ClientFrame.Join) joinTaken(by);
                if (frame instanceof ClientFrame.Leave) left(frame.room());
            }
        }
        return offer;
    }

    private void joinTaken(Membership by) {
        memberships.put(by.room(), by);
        if (!refusedForNow.isEmpty()) refusedForNow.remove(by.room());
    }

    private void joinRefusedForNow(RoomId room) {
        lastInRoomNanos = nanoTime.getAsLong(); // it does try
        if (refusedForNow.isEmpty()) refusedForNow = new HashSet<>(2);
        if (refusedForNow.size() < settings.maxRooms()) refusedForNow.add(room);
    }

    private void left(RoomId room) {
        memberships.remove(room);
        lastInRoomNanos = nanoTime.getAsLong();
    }

    private @Nullable FrameError check(ClientFrame.Posted frame, @Nullable Membership membership) {
        return switch (frame) {
            case ClientFrame.Join join -> {
                if (membership != null)
                    yield FrameError.of(ErrorCode.ALREADY_JOINED, join, "this session has joined room " + join.room());
                if (memberships.size() >= settings.maxRooms())
                    yield FrameError.of(
                            ErrorCode.TOO_MANY_ROOMS,
                            join,
                            "a session may be in " + settings.maxRooms() + " rooms: leave one first");
                yield speaker.refusesJoin(join);
            }
            case ClientFrame.Text text -> {
                FrameError error = checkMember(text, membership);
                yield error != null ? error : speaker.refusesText(text);
            }
            case ClientFrame.Leave leave -> checkMember(leave, membership);
        };
    }

    private static @Nullable FrameError checkMember(ClientFrame.InRoom frame, @Nullable Membership membership) {
        if (membership == null) return notJoined(frame);
        if (!membership.member().isNamedBy(frame.member()))
            return FrameError.of(
                    ErrorCode.IDENTITY_MISMATCH,
                    frame,
                    "userId, username and displayName must be those of the JOIN of this room");
        return null;
    }

    private static FrameError notJoined(ClientFrame.InRoom frame) {
        return FrameError.of(ErrorCode.NOT_JOINED, frame, "JOIN room " + frame.room() + " first");
    }

    private Membership newMembership(ClientFrame.InRoom frame) {
        if (!(frame instanceof ClientFrame.Join join))
            throw new IllegalStateException("only a JOIN begins a membership");
        return new Membership(
                join.room(), join.member(), join.since(), join.stored(), session.subscriber(), new Refusals());
    }

    private Offer offer(ClientFrame.Posted frame, Membership by) {
        UUID id = frame.messageId();
        return switch (frame) {
            // Its id is always the server's; the client's is what a refusal is told by.
            case ClientFrame.Join join ->
                rooms.offer(message(by, MessageType.JOIN, null, null), new PendingAck(by, MessageType.JOIN, id));
            case ClientFrame.Text text -> offer(by, MessageType.TEXT, text.message(), id);
            case ClientFrame.Leave leave -> offer(by, MessageType.LEAVE, null, id);
        };
    }

    private Offer offer(Membership by, MessageType type, @Nullable String text, @Nullable UUID clientId) {
        return rooms.offer(message(by, type, text, clientId), new PendingAck(by, type, clientId));
    }

    private OutgoingMessage message(Membership by, MessageType type, @Nullable String text, @Nullable UUID clientId) {
        UUID id = clientId != null ? clientId : ids.get();
        Member member = by.member();
        long now = clock.millis();
        byte[] json = MessageJson.encode(new ChatMessage(id, member, type, text, now));
        return new OutgoingMessage(by.room(), id, type, member.userId(), now, clientAddress, json);
    }

    private FrameError unavailable(RoomId room, @Nullable UUID messageId) {
        return FrameError.unavailable(room, messageId, rooms.retryAfterMillis(settings.retryAfterMs()));
    }

    private void refuse(FrameError error) {
        reply(error);
        RoomId room = error.room();
        if (error.code() == ErrorCode.NOT_JOINED && room != null && refusedForNow.contains(room)) return;
        if (++faults < settings.maxFaults()) return;
        drop();
        session.abused();
    }

    private void reply(FrameError error) {
        counters.refused(error.code());
        session.reply(error);
    }

    /** How long the session has been in no room, in milliseconds; 0 while it is in one, or its JOIN may wait here. */
    public long millisWithoutRoom() {
        if (!reading || !memberships.isEmpty()) return 0;
        return TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - lastInRoomNanos);
    }

    /** The socket is closed: every room hears a LEAVE, in its place behind what the session sent. */
    public void end() {
        if (ended) return;
        ended = true;
        drop();
        for (Membership membership : List.copyOf(memberships.values())) {
            rooms.departing(membership);
            if (whenDecided(membership)) continue; // and stays here until then: of two that wait for it one leaves
            memberships.remove(membership.room());
            leaveUnlessRefused(membership);
        }
    }

    private void leaveUnlessRefused(Membership membership) {
        if (!membership.isRefused()) leave(membership);
    }

    private void leave(Membership membership) {
        OutgoingMessage leave = message(membership, MessageType.LEAVE, null, null);
        PendingAck sent = new PendingAck(membership, MessageType.LEAVE, null);
        switch (rooms.offer(leave, sent)) {
            case TAKEN -> {}
            case FULL -> rooms.whenRoom(membership.room(), () -> session.execute(() -> leave(membership)));
            case UNAVAILABLE -> rooms.leaveLater(leave, sent);
        }
    }

    private final class Refusals implements Membership.Refusals {
        @Override
        public void joinRefused(Membership membership, @Nullable UUID messageId) {
            session.execute(() -> {
                if (memberships.remove(membership.room(), membership)) joinRefusedForNow(membership.room());
                if (!membership.isForbidden()) reply(unavailable(membership.room(), messageId));
            });
        }

        @Override
        public void textRefused(Membership membership, @Nullable UUID messageId) {
            session.execute(() -> {
                if (!membership.isForbidden()) reply(unavailable(membership.room(), messageId));
            });
        }

        @Override
        public void conflict(Membership membership, MessageType type, @Nullable UUID messageId) {
            session.execute(() -> {
                if (type == MessageType.JOIN && memberships.remove(membership.room(), membership))
                    lastInRoomNanos = nanoTime.getAsLong();
                if (type == MessageType.LEAVE) stay(membership, null);
                if (!membership.isForbidden()) refuse(FrameError.conflict(membership.room(), messageId));
            });
        }

        /** Not if it has joined again in the meantime, nor where its token does not let it. */
        private void stay(Membership membership, @Nullable UUID messageId) {
            boolean stays = !ended
                    && !membership.isForbidden()
                    && speaker.mayStay(membership.room())
                    && memberships.putIfAbsent(membership.room(), membership) == null;
            if (!stays)
                rooms.leaveLater(
                        message(membership, MessageType.LEAVE, null, messageId),
                        new PendingAck(membership, MessageType.LEAVE, messageId));
        }

        @Override
        public void leaveRefused(Membership membership, @Nullable UUID messageId) {
            session.execute(() -> {
                stay(membership, messageId);
                // Where it may not stay it was told so, and did not ask.
                if (!ended && !membership.isForbidden() && speaker.mayStay(membership.room()))
                    reply(unavailable(membership.room(), messageId));
            });
        }
    }
}
