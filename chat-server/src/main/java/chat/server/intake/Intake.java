package chat.server.intake;

import chat.log.LogPartition.Offer;
import chat.protocol.ClientFrame;
import chat.protocol.Decoded;
import chat.protocol.FrameDecoder;
import chat.protocol.FrameError;
import chat.protocol.RoomId;
import chat.server.admission.Rates;
import chat.server.identity.SessionIdentity;
import chat.server.room.Membership;
import chat.server.room.Rooms;
import chat.server.room.Subscriber;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Handles the frames of one session in order. Each frame is rejected with an error, answered, or handed to the log.
 * Frames pass two stages: {@link RateGate} applies the rate limits, then each frame waits for what it depends on, such
 * as space in the log or the decision about a JOIN. The session reads no further frame until the previous one is
 * finished. Confined to the session's event loop, except for {@link #tokenExpiresAt}.
 */
public final class Intake {
    private final Rooms rooms;
    private final FrameDecoder decoder;
    private final IntakeCounters counters;
    private final SessionIdentity identity;
    private final Session session;

    private final JoinedRooms joined;
    private final FrameChecks checks;
    private final ErrorReplies replies;
    private final MessagePublisher publisher;
    private final Departures departures;
    private final LogRejections rejections;
    private final TokenRenewal tokens;
    private final RosterRequests rosters;
    private final RateGate gate;

    /** Frames that have not reached the rate gate. */
    private final Deque<Decoded> arriving = new ArrayDeque<>();
    /** Frames that the rate gate has admitted. */
    private final Deque<Decoded> admitted = new ArrayDeque<>();
    /** The first admitted frame waits for an event, which will call {@link #resume}. */
    private boolean blocked;
    /** Size of the last frame received. */
    private int frameBytes;
    /** Size of the last frame while a part of it waits; else 0. */
    private int waitingBytes;
    /** The session was asked for the next frame and has not delivered it. */
    private boolean reading = true;

    /** The session, as its intake sees it. */
    public interface Session {
        Subscriber subscriber();

        void reply(FrameError error);

        /**
         * The session's new token was accepted.
         *
         * @param expiresAt when it expires, milliseconds since 1970
         */
        void tokenAccepted(long expiresAt);

        /** Runs a step on the session's event loop. */
        void execute(Runnable step);

        /** The last frame is finished: the session may read the next one. */
        void readMore();

        /** The session has sent too many faulty frames. */
        void tooManyFaults();

        /** Too many frames of the session exceeded its rate. */
        void tooFast();

        /** Runs a step on the session's event loop after a delay in nanoseconds. */
        void executeAfter(long nanos, Runnable step);
    }

    /**
     * @param clock for the timestamps of messages
     * @param nanoTime for durations, as {@link System#nanoTime}
     * @param ids for messages without an id of the client
     * @param clientAddress 4 or 16 bytes; empty: unknown
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
            SessionIdentity identity,
            Session session) {
        this.rooms = rooms;
        this.decoder = decoder;
        this.counters = counters;
        this.identity = identity;
        this.session = session;
        joined = new JoinedRooms(settings.maxRooms(), nanoTime);
        checks = new FrameChecks(joined, identity, settings.maxRooms());
        replies = new ErrorReplies(session, joined, counters, settings.maxFaults(), this::tooManyFaults);
        publisher = new MessagePublisher(rooms, clock, ids, clientAddress, settings.retryAfterMs(), session);
        departures = new Departures(rooms, joined, identity, publisher, replies, session);
        rejections = new LogRejections(joined, identity, publisher, replies, departures, session);
        tokens = new TokenRenewal(identity, replies, departures, session, nanoTime, this::resume);
        rosters = new RosterRequests(rooms, joined, replies, departures, counters, session, this::resume);
        gate = new RateGate(rates, rooms, joined, checks, replies, session, new GateOwner());
    }

    /** Takes one text frame; calls {@link Session#readMore} when it is finished. */
    public void receive(byte[] utf8, RoomId pathRoom) {
        reading = false;
        frameBytes = utf8.length;
        (gate.isLimiting() ? arriving : admitted).addAll(decoder.decode(utf8, pathRoom, identity.known()));
        proceed();
        // The frame that waits is this one, or the next one if readMore() has delivered it.
        boolean waits = !departures.hasEnded() && !reading && !(admitted.isEmpty() && arriving.isEmpty());
        if (waits) countWaiting(frameBytes);
    }

    /** @param bytes size of the frame of which a part waits; 0: none */
    private void countWaiting(int bytes) {
        if (bytes == waitingBytes) return;
        counters.waitingBytes.add(bytes - waitingBytes);
        waitingBytes = bytes;
    }

    /** Continues after the event that the first admitted frame has waited for. */
    private void resume() {
        blocked = false;
        proceed();
    }

    private void proceed() {
        while (!departures.hasEnded() && !blocked) {
            Decoded next = admitted.peek();
            if (next != null) {
                blocked = true; // the event may occur before handle() returns
                if (handle(next)) blocked = false;
                continue;
            }
            if (gate.isShut()) return;
            next = arriving.poll();
            if (next == null) break;
            if (gate.admit(next)) admitted.add(next);
        }
        if (departures.hasEnded() || blocked || reading) return;
        reading = true;
        countWaiting(0);
        session.readMore();
    }

    /** Handles the first admitted frame; returns false if the frames behind it must wait for {@link #resume}. */
    private boolean handle(Decoded next) {
        switch (next) {
            case Decoded.Valid(ClientFrame.Posted frame) -> {
                if (waitsForJoin(frame.room())) return false;
                if (post(frame) == Offer.FULL) {
                    counters.paused.increment();
                    rooms.whenRoom(frame.room(), () -> session.execute(this::resume));
                    return false;
                }
            }
            case Decoded.Valid(ClientFrame.Members request) -> {
                if (waitsForJoin(request.room())) return false;
                if (rosters.start(request)) {
                    admitted.poll();
                    return false;
                }
            }
            case Decoded.Valid(ClientFrame.Token token) -> {
                if (tokens.start(token)) {
                    admitted.poll();
                    return false;
                }
            }
            case Decoded.Refused invalid -> replies.reject(invalid.error());
        }
        admitted.poll();
        return true;
    }

    /** Returns whether a frame must wait for the decision about its room's JOIN: if it failed, the frame fails, too. */
    private boolean waitsForJoin(RoomId room) {
        Membership membership = joined.of(room);
        if (membership == null) return false;
        if (!membership.isDecided() && departures.awaitDecision(membership, this::resume)) return true;
        if (!membership.isRefused()) return false;
        session.execute(this::resume); // runs after the step that removes the membership
        return true;
    }

    /** Hands a message to the log or rejects it; returns FULL if it must be tried again. */
    private Offer post(ClientFrame.Posted frame) {
        Membership membership = joined.of(frame.room());
        FrameError error = checks.check(frame, membership);
        if (error != null) {
            replies.reject(error);
            return Offer.TAKEN;
        }
        Membership by = membership != null ? membership : newMembership(frame);
        Offer offer = publisher.offer(frame, by);
        switch (offer) {
            case FULL -> {
                return offer;
            }
            case UNAVAILABLE -> {
                if (frame instanceof ClientFrame.Join) joined.joinFailed(frame.room());
                replies.reply(publisher.unavailable(frame.room(), frame.messageId()));
            }
            case TAKEN -> {
                counters.taken.increment();
                replies.accepted();
                if (frame instanceof ClientFrame.Join) joined.joined(by);
                if (frame instanceof ClientFrame.Leave) joined.left(frame.room());
            }
        }
        return offer;
    }

    private Membership newMembership(ClientFrame.InRoom frame) {
        if (!(frame instanceof ClientFrame.Join join))
            throw new IllegalStateException("only a JOIN creates a membership");
        return new Membership(
                join.room(), join.member(), join.since(), join.stored(), session.subscriber(), rejections);
    }

    private final class GateOwner implements RateGate.Owner {
        @Override
        public void admitted(ClientFrame.InRoom frame) {
            admitted.add(new Decoded.Valid(frame));
            Intake.this.proceed();
        }

        @Override
        public void proceed() {
            Intake.this.proceed();
        }

        @Override
        public void tooFast() {
            drop();
            session.tooFast();
        }
    }

    private void tooManyFaults() {
        drop();
        session.tooManyFaults();
    }

    /** Drops the frames that wait, because the socket is closing and cannot deliver replies. {@link #end} follows. */
    public void close() {
        drop();
    }

    private void drop() {
        admitted.clear();
        arriving.clear();
        countWaiting(0);
        gate.close();
    }

    /** Leaves all rooms after the socket has closed; the LEAVEs follow the messages sent before. */
    public void end() {
        if (departures.hasEnded()) return;
        drop();
        departures.end();
    }

    /** Milliseconds until the session's token expires; {@link Long#MAX_VALUE} without a token. */
    public long millisToTokenEnd() {
        return identity.millisLeft();
    }

    /** See {@link Subscriber#tokenExpiresAt}. Any thread. */
    public long tokenExpiresAt() {
        return identity.expiresAtMillis();
    }

    /** Milliseconds without a room; 0 while the session is in a room, or a frame, such as a JOIN, waits. */
    public long millisWithoutRoom() {
        return reading ? joined.millisWithoutRoom() : 0;
    }
}
