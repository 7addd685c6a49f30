package chat.server.room;

import chat.log.EntryKind;
import chat.log.LineFields;
import chat.log.LogEntry;
import chat.log.LogGap;
import chat.log.LogPartition;
import chat.log.OutgoingMessage;
import chat.log.Segment;
import chat.log.StoredThrough;
import chat.protocol.CloseCode;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rooms of one partition: takes what the log says to the members on this server, in the order of the log. Runs on the
 * partition's thread.
 */
final class PartitionRooms implements LogPartition.Owner<PendingAck> {
    private static final Logger logger = LoggerFactory.getLogger(PartitionRooms.class);
    private static final long TICK_MILLIS = 250;
    /** A step that takes so long is worth a line. */
    private static final long SLOW_MILLIS = 100;

    private final RoomSettings settings;
    private final LongSupplier nanoTime;
    private final RoomCounters counters;
    private final DedupWindow window;
    private final MessageKey key = new MessageKey();
    private final DuplicateResponder sentAgain;
    private final StoredNotifications storedNews;
    private final CatchUp catchUp;
    private final ScheduledExecutorService loop;
    private final PartitionPresence presence;
    private final CompletableFuture<Void> begun = new CompletableFuture<>();
    private @Nullable LogPartition<PendingAck> partition;
    private @Nullable Future<?> ticking;
    /** Null where nothing is traced. */
    private final @Nullable PartitionTraces traces;
    /** In the order of their last use. */
    private final Map<RoomId, Room> rooms = new LinkedHashMap<>(64, 0.75f, true);

    /** The keys of these, for any thread. */
    private final Set<RoomId> known = ConcurrentHashMap.newKeySet();

    /** Rooms that have something for their members. */
    private final Set<Room> unflushed = new LinkedHashSet<>();

    private final FrameCoalescer merge;
    /** The next flush, where one is due. */
    private @Nullable Future<?> flushing;
    /** Whether that waits for what other servers write. */
    private boolean awaitingOthers;

    private int emptyRooms;
    private long recentBytes;
    /** A room that is not in the map has nothing before this. */
    private long nothingBefore = -1;

    private long lastPosition;
    private final Epochs origins = new Epochs();

    PartitionRooms(
            RoomSettings settings,
            LongSupplier nanoTime,
            RoomCounters counters,
            History history,
            Backlog backlog,
            ScheduledExecutorService loop,
            int rememberedIds,
            long idMemoryMillis,
            PresenceOf presence,
            CatchUpScheduler scheduler,
            @Nullable PartitionTraces traces) {
        this.settings = settings;
        this.nanoTime = nanoTime;
        this.counters = counters;
        this.window = new DedupWindow(rememberedIds, idMemoryMillis, nowMillis(), counters.idsCutShort);
        this.loop = loop;
        this.merge = new FrameCoalescer(settings.merge().toNanos());
        this.storedNews = new StoredNotifications(settings.storedInterval(), loop, counters, this::abandon);
        this.sentAgain = new DuplicateResponder(window, loop, this, counters);
        this.catchUp = new CatchUp(
                settings, history, backlog, window, origins, this::lostEnd, loop, nanoTime, counters, scheduler);
        this.presence = presence.in(this::withMembers);
        this.traces = traces;
    }

    /** Before the partition starts. */
    void serve(LogPartition<PendingAck> partition, IdleTime vacancy) {
        this.partition = partition;
        presence.serve(partition, () -> {
            begun.complete(null);
            partition.look();
        });
        ticking = loop.scheduleWithFixedDelay(
                () -> {
                    presence.tick();
                    catchUp.tick();
                    vacancy.look(activeRooms() == 0 && presence.owesNothing() && partition.isIdle());
                },
                TICK_MILLIS,
                TICK_MILLIS,
                TimeUnit.MILLISECONDS);
    }

    /** Completes when the recent past is known here, so that a JOIN does not wait for it. */
    CompletableFuture<Void> begun() {
        return begun;
    }

    /** Whether somebody who has left a room is still told what was said before. */
    boolean hasDepartedMembersCatchingUp() {
        return rooms.values().stream().anyMatch(Room::hasDepartedMembersCatchingUp);
    }

    /** The partition is read no more. */
    void end() {
        if (ticking != null) ticking.cancel(false);
        presence.end();
    }

    /** Of no time of day. */
    private long nowMillis() {
        return TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong());
    }

    /** Whether a room is remembered here; any thread. */
    boolean knows(RoomId id) {
        return known.contains(id);
    }

    /** Answers a client at once that sends what is known here; any thread. */
    DuplicateResponder sentAgain() {
        return sentAgain;
    }

    /** Makes the presence of a partition whose rooms these are. */
    interface PresenceOf {
        /** @param withMembers the room, where it has members here */
        PartitionPresence in(Function<RoomId, @Nullable Room> withMembers);
    }

    private @Nullable Room withMembers(RoomId id) {
        Room room = rooms.get(id);
        return room != null && room.memberships() > 0 ? room : null;
    }

    PartitionPresence presence() {
        return presence;
    }

    /** As {@link PartitionPresence#roster}; who could not be answered would wait for ever, and reconnects. */
    void roster(Membership membership, @Nullable String after, int limit, Consumer<Boolean> answered) {
        try {
            presence.roster(membership, after, limit, answered);
        } catch (RuntimeException | Error failure) {
            logger.atError()
                    .addKeyValue(LineFields.ROOM, membership.room())
                    .setCause(failure)
                    .log("a member of {} could not be told who is there", membership.room());
            membership.subscriber.close(CloseCode.INTERNAL_ERROR);
        }
    }

    @Override
    public void started() {
        presence.started();
    }

    @Override
    public boolean ready() {
        return presence.isReady();
    }

    @Override
    public void readBack(long publishedNanos, long confirmedNanos) {
        if (traces != null) traces.readBack(publishedNanos, confirmedNanos);
    }

    @Override
    public void entry(LogEntry entry, @Nullable List<PendingAck> own) {
        if (nothingBefore < 0) nothingBefore = entry.position(0) - 1;
        lastPosition = entry.lastPosition();
        StoredThrough stored = entry.stored();
        // What lies above has been lost since; what was said under its positions after that may not be stored yet.
        if (stored != null && stored.position() < entry.position(0)) storedNews.read(stored);
        origins.read(entry);
        if (stored != null) seeThatItIsThere(stored.position());
        presence.read(entry);
        if (entry.header().kind() == EntryKind.MESSAGES) messages(entry, own);
        presence.act();
    }

    private void messages(LogEntry entry, @Nullable List<PendingAck> own) {
        if (traces != null) traces.entry();
        boolean waits = false;
        for (Segment segment : entry.segments()) {
            Room room = room(segment.room());
            try {
                waits |= deliver(room, segment, entry, own);
            } catch (RuntimeException | Error failure) {
                abandon(room, failure);
                if (own != null) endSenders(segment, own);
            }
        }
        forgetBeyondBounds();
        if (waits) merge.read(entry.header().run());
        flushSoon();
    }

    /** Behind the entries that have been read already, and when what may follow has been {@linkplain FrameCoalescer waited for}. */
    private void flushSoon() {
        if (unflushed.isEmpty() && (traces == null || traces.isEmpty())) return;
        boolean everybody = merge.isEverybodyHeard();
        if (flushing != null) {
            if (!awaitingOthers || !everybody) return;
            flushing.cancel(false);
        }
        long left = merge.left(nanoTime.getAsLong(), partition == null ? 0 : partition.queueingNanos());
        awaitingOthers = left > 0 && !everybody;
        try {
            flushing = left > 0 ? loop.schedule(this::flush, left, TimeUnit.NANOSECONDS) : loop.submit(this::flush);
        } catch (RejectedExecutionException stopping) {
            // Nobody is left to be told.
        }
    }

    private void flush() {
        flushing = null;
        merge.flushed(nanoTime.getAsLong());
        FanOut out = new FanOut();
        for (Room room : unflushed) {
            try {
                room.flush(out);
            } catch (RuntimeException | Error failure) {
                abandon(room, failure);
            }
        }
        unflushed.clear();
        if (traces != null && !traces.isEmpty()) out.whenWritten(traces.take());
        out.submit();
    }

    private Room room(RoomId id) {
        Room room = rooms.get(id);
        if (room == null) {
            room = new Room(id, settings, nothingBefore, () -> presence.members(id));
            rooms.put(id, room);
            known.add(id);
            emptyRooms++;
        }
        return room;
    }

    /** Returns whether something waits for the next flush. */
    private boolean deliver(Room room, Segment segment, LogEntry entry, @Nullable List<PendingAck> own) {
        List<RecentMessage> fresh = new ArrayList<>(segment.size());
        // Who comes and goes in a large room is told merged; memory and history have all.
        boolean merged = presence.isLarge(segment.room());
        List<RecentMessage> live = merged ? new ArrayList<>(segment.size()) : fresh;
        Changes changes = new Changes();
        long now = nowMillis();
        for (int i = 0; i < segment.size(); i++) {
            int index = segment.firstIndex() + i;
            long position = entry.position(index);
            long content = ContentHash.of(
                    segment.type(i), segment.timestamp(i), segment.array(), segment.jsonStart(i), segment.jsonEnd(i));
            key.of(room.key(), segment, i);
            long first = window.firstPosition(key.high(), key.low(), content, position, now);
            Renamed renamed = null;
            // Published is accepted: only before that its sender can be told that the id is used.
            if (DedupWindow.isConflict(first)) {
                renamed = Renamed.of(room.id(), segment.json(i));
                first = renamed == null ? DedupWindow.NEW : firstPosition(room, renamed, content, position, now);
            }
            if (first == DedupWindow.NEW) {
                RecentMessage message = new RecentMessage(position, renamed == null ? segment.json(i) : renamed.json());
                if (renamed != null) counters.renamed.increment();
                fresh.add(message);
                if (merged && segment.type(i) == MessageType.TEXT) live.add(message);
                if (traces != null) traces.message(entry, segment, i, room.liveMembers(), own != null);
            } else {
                counters.repeated.increment();
            }
            if (own != null) changes.note(own.get(index), segment, i, position, first);
        }
        counters.delivered.add((long) live.size() * room.liveMembers());
        for (RecentMessage message : fresh) recentBytes += room.recent().add(message);
        boolean waits = false;
        if (changes.joined.isEmpty() && changes.left.isEmpty()) waits = later(room, live, changes.acks);
        else apply(room, live, changes);
        storedNews.said(room, fresh);
        return waits;
    }

    private long firstPosition(Room room, Renamed message, long content, long position, long now) {
        key.of(room.key(), message.id(), message.userId());
        return window.firstPosition(key.high(), key.low(), content, position, now);
    }

    /**
     * Leaves it to the next flush. Where a server only stands by there is nobody to be told, and of a large room JOINs and
     * LEAVEs are told merged: nothing to wake up for.
     *
     * @return whether something waits
     */
    private boolean later(Room room, List<RecentMessage> live, Map<Membership, List<Membership.Ack>> acks) {
        if (acks.isEmpty() && (live.isEmpty() || room.liveMembers() == 0)) return false;
        room.later(live, acks);
        unflushed.add(room);
        merge.add(live.size());
        return true;
    }

    /**
     * What one room could not be told, the others still are. Its members may have had some of it or nothing: they come
     * back and resume, and what memory has may have a hole, so they do from the history.
     */
    private void abandon(Room room, Throwable failure) {
        logger.atError()
                .addKeyValue(LineFields.ROOM, room.id())
                .addKeyValue(LineFields.POSITION, lastPosition)
                .setCause(failure)
                .log("room {} could not be told what the log says: closing its sockets here", room.id());
        recentBytes -= room.recent().clear(lastPosition);
        room.abandon();
    }

    private void endSenders(Segment segment, List<PendingAck> own) {
        for (int i = 0; i < segment.size(); i++) end(own.get(segment.firstIndex() + i), CloseCode.INTERNAL_ERROR);
    }

    /** Of what it sent nobody here can tell it what became. */
    private void end(PendingAck sent, CloseCode code) {
        sent.by().subscriber.close(code);
        sent.by().decided(true); // it may have been: then its LEAVE must follow
        // No other one follows, so the room must hear it here: the member is gone from this server.
        if (sent.type() == MessageType.LEAVE) {
            forget(sent.by());
            presence.left(sent.by());
        }
    }

    private void apply(Room room, List<RecentMessage> fresh, Changes changes) {
        // Who leaves gets what stands up to its LEAVE, and who joins what stands from its JOIN on: alone, since
        // everyone else gets the whole.
        room.flush();
        changes.left.forEach((membership, at) -> {
            if (!changes.joined.containsKey(membership)) leave(room, membership, at, fresh, changes);
        });
        room.later(fresh, Map.of());
        room.flush();
        changes.joined.forEach((membership, at) ->
                admit(room, membership, at, changes.left.getOrDefault(membership, Long.MAX_VALUE), fresh));
        changes.acks.forEach(room::acknowledge);
    }

    private void leave(Room room, Membership membership, long at, List<RecentMessage> fresh, Changes changes) {
        presence.left(membership);
        membership.leftAt = at;
        if (membership.state == Membership.State.LIVE) room.sendTo(membership, between(fresh, 0, at));
        remove(room, membership);
        // One that is catching up goes on until it has what was said before it left.
        if (membership.catchesUp()) room.goesOn(membership);
        else membership.state = Membership.State.LEFT;
        membership.end();
        List<Membership.Ack> acks = changes.acks.remove(membership);
        if (acks != null) room.acknowledge(membership, acks);
    }

    private static List<RecentMessage> between(List<RecentMessage> messages, long from, long to) {
        return messages.stream()
                .filter(message -> message.position() >= from && message.position() <= to)
                .toList();
    }

    /** @param left the position of its LEAVE in the same segment */
    private void admit(Room room, Membership membership, long at, long left, List<RecentMessage> fresh) {
        membership.decided(true);
        presence.joined(membership);
        if (left != Long.MAX_VALUE) presence.left(membership);
        if (membership.state != Membership.State.JOINING) return; // it has gone in the meantime
        room.cutShort(membership.subscriber);
        if (room.memberships() == 0) emptyRooms--;
        membership.state = Membership.State.CATCHING_UP;
        room.admit(membership);
        debug("{} is in room {}", membership);
        storedNews.admitted(room, membership);
        counters.memberships.increment();
        if (Room.startsNow(membership)) room.welcome(membership, at - 1, presence.membersAt(room.id(), at));
        if (left != Long.MAX_VALUE) {
            membership.leftAt = left;
            remove(room, membership);
            membership.end();
        }
        if (Room.startsNow(membership)) {
            room.sendTo(membership, between(fresh, at, left));
            room.finish(membership);
        } else {
            if (left != Long.MAX_VALUE) room.goesOn(membership);
            catchUp.begin(room, membership, at);
        }
    }

    private void forgetBeyondBounds() {
        if (recentBytes <= settings.partitionBytes() && emptyRooms <= settings.emptyRooms()) return;
        // Some more than must be, so that this walk is rare.
        long wantedBytes = settings.partitionBytes() / 8 * 7;
        int wantedRooms = settings.emptyRooms() / 8 * 7;
        Iterator<Room> leastUsedFirst = rooms.values().iterator();
        while (leastUsedFirst.hasNext() && (recentBytes > wantedBytes || emptyRooms > wantedRooms)) {
            Room room = leastUsedFirst.next();
            boolean empty = room.memberships() == 0;
            if (!empty && recentBytes <= wantedBytes) continue;
            int freed = room.recent().clear(lastPosition);
            recentBytes -= freed;
            // A member that joins again must find the departed members that still catch up.
            if (!empty || room.hasDepartedMembersCatchingUp()) {
                if (freed > 0) counters.recentForgotten.increment();
                continue;
            }
            counters.emptyForgotten.increment();
            leastUsedFirst.remove();
            known.remove(room.id());
            emptyRooms--;
            nothingBefore = Math.max(nothingBefore, lastPosition);
        }
    }

    /** The consumer has stored what this log does not have: a server that began on it has left the positions out. */
    private void seeThatItIsThere(long stored) {
        Epochs.Hole hole = origins.provenBy(stored);
        if (hole == null || !hole.lost()) return;
        logger.atWarn()
                .addKeyValue(LineFields.POSITION, hole.from())
                .addKeyValue(LineFields.POSITION_TO, hole.to())
                .log("the log had lost its end before this server began: a gap from {} to {}", hole.from(), hole.to());
        for (Room room : rooms.values()) tellLostEnd(room, hole);
    }

    /** A member has received messages of its room that the log has lost, or claims so. */
    private void lostEnd(Room room, Epochs.Hole hole) {
        if (room.hasLost(hole)) return;
        room.lost(hole);
        tellLostEnd(room, hole);
    }

    /** Live members receive the GAP at once; a client that resumes from before the hole receives it in its place. */
    private void tellLostEnd(Room room, Epochs.Hole hole) {
        recentBytes -= room.recent().dropUpTo(hole.to());
        try {
            room.emitGap(hole.from(), hole.to());
        } catch (RuntimeException | Error failure) {
            abandon(room, failure);
        }
    }

    @Override
    public void gap(LogGap gap) {
        logger.atWarn()
                .addKeyValue(LineFields.POSITION, gap.from())
                .addKeyValue(LineFields.POSITION_TO, gap.to())
                .log("the log has a gap ({}) from {} to {}", gap.reason(), gap.from(), gap.to());
        // What is gone is not to be acknowledged again: who sends it again says it anew. What is kept is still said.
        if (gap.reason() == LogGap.Reason.REPLACED) {
            window.forgetFrom(gap.kept());
            origins.replaced(gap.reaches());
        }
        if (gap.reason() == LogGap.Reason.LOST_EARLIER) catchUp.givenTwice(gap.from(), gap.to());
        nothingBefore = Math.max(nothingBefore, gap.to());
        lastPosition = Math.max(lastPosition, gap.to());
        for (Room room : rooms.values()) {
            recentBytes -= room.recent().clear(gap.to());
            try {
                if (gap.reaches()) room.emitGap(gap.from(), gap.to());
            } catch (RuntimeException | Error failure) {
                abandon(room, failure);
            }
        }
        presence.gap();
    }

    @Override
    public void refused(List<PendingAck> messages) {
        for (PendingAck sent : messages) {
            switch (sent.type()) {
                case JOIN -> joinRefused(sent);
                case TEXT -> sent.by().refusals.textRefused(sent.by(), sent.clientMessageId());
                case LEAVE -> {}
            }
        }
        // Behind the JOINs: who has left and joined again stays who it was, where neither has happened.
        for (PendingAck sent : messages)
            if (sent.type() == MessageType.LEAVE) sent.by().refusals.leaveRefused(sent.by(), sent.clientMessageId());
    }

    private void joinRefused(PendingAck join) {
        Membership membership = join.by();
        membership.state = Membership.State.LEFT;
        membership.refusals.joinRefused(membership, join.clientMessageId());
        membership.decided(false);
        membership.end();
    }

    @Override
    public void outcomeUnknown(List<PendingAck> messages) {
        for (PendingAck sent : messages) end(sent, CloseCode.OUTCOME_UNKNOWN);
    }

    /** A session has ended whose LEAVE can't be written now. */
    void leaveLater(OutgoingMessage message, PendingAck sent) {
        forget(sent.by());
        presence.leaveLater(message, sent);
    }

    private void forget(Membership membership) {
        membership.state = Membership.State.LEFT;
        Room room = rooms.get(membership.room);
        if (room != null) remove(room, membership);
        membership.end();
    }

    /** For what was sent again and is known. */
    void acknowledge(Membership membership, Membership.Ack ack) {
        Room room = room(membership.room);
        List<Membership.Ack> acks = new ArrayList<>(1);
        acks.add(ack);
        later(room, List.of(), Map.of(membership, acks)); // behind the message, should that still wait
        flushSoon();
    }

    /** Its sender has used the id before, for another message in this room; nothing was published. */
    void conflict(PendingAck sent) {
        counters.conflicts.increment();
        refuse(sent);
    }

    private static void refuse(PendingAck sent) {
        Membership by = sent.by();
        by.refusals.conflict(by, sent.type(), sent.clientMessageId());
        if (sent.type() != MessageType.JOIN) return;
        by.state = Membership.State.LEFT;
        by.decided(false); // behind the refusal, as what waits for it counts on that
        by.end();
    }

    private void remove(Room room, Membership membership) {
        long begun = nanoTime.getAsLong();
        int before = room.memberships();
        room.remove(membership);
        storedNews.left(room, membership);
        if (room.memberships() < before) debug("{} is out of room {}", membership);
        counters.memberships.add(room.memberships() - before);
        if (before > 0 && room.memberships() == 0) emptyRooms++;
        long millis = TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - begun);
        // Nothing here depends on how many there are: it is the processor that was not there, or a fault.
        if (millis > SLOW_MILLIS)
            logger.atWarn()
                    .addKeyValue(LineFields.SESSION, membership.subscriber.id())
                    .addKeyValue(LineFields.ROOM, membership.room)
                    .log("taking a session out of room {} took {} ms", membership.room, millis);
    }

    private static void debug(String said, Membership membership) {
        if (!logger.isDebugEnabled()) return;
        String session = membership.subscriber.id();
        logger.atDebug()
                .addKeyValue(LineFields.SESSION, session)
                .addKeyValue(LineFields.ROOM, membership.room)
                .log(said, session, membership.room);
    }

    int activeRooms() {
        return rooms.size() - emptyRooms;
    }

    /** What the messages of one segment mean for the sessions that sent them. */
    private static final class Changes {
        final Map<Membership, Long> joined = new LinkedHashMap<>(2);
        final Map<Membership, Long> left = new LinkedHashMap<>(2);
        final Map<Membership, List<Membership.Ack>> acks = new HashMap<>(4);

        /** @param first the position under which the message stood in the log before, or -1 */
        void note(PendingAck sent, Segment segment, int i, long here, long first) {
            switch (sent.type()) {
                case JOIN -> joined.put(sent.by(), here);
                case LEAVE -> {
                    left.put(sent.by(), here);
                    acknowledge(sent, segment, i, here, first);
                }
                case TEXT -> acknowledge(sent, segment, i, here, first);
            }
        }

        private void acknowledge(PendingAck sent, Segment segment, int i, long here, long first) {
            boolean repeated = first >= 0;
            acks.computeIfAbsent(sent.by(), unused -> new ArrayList<>(4))
                    .add(new Membership.Ack(
                            segment.messageId(i), repeated ? first : here, segment.timestamp(i), repeated));
        }
    }
}
