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
 * Delivers the entries of one partition to the members on this server, in log order. Confined to the partition's thread
 * unless a method says otherwise.
 */
final class PartitionRooms implements LogPartition.Owner<PendingAck> {
    private static final Logger logger = LoggerFactory.getLogger(PartitionRooms.class);
    private static final long TICK_MILLIS = 250;
    /** Removing a session is logged if it takes longer. */
    private static final long SLOW_MILLIS = 100;

    private final RoomSettings settings;
    private final LongSupplier nanoTime;
    private final RoomCounters counters;
    private final DedupWindow window;
    private final MessageKey key = new MessageKey();
    private final DuplicateResponder duplicates;
    private final StoredNotifications storedNotifications;
    private final CatchUp catchUp;
    private final ScheduledExecutorService loop;
    private final PartitionPresence presence;
    private final CompletableFuture<Void> begun = new CompletableFuture<>();
    private @Nullable LogPartition<PendingAck> partition;
    private @Nullable Future<?> ticking;
    /** Null if tracing is off. */
    private final @Nullable PartitionTraces traces;
    /** Least recently used first. */
    private final Map<RoomId, Room> rooms = new LinkedHashMap<>(64, 0.75f, true);

    /** The keys of {@link #rooms}, readable by any thread. */
    private final Set<RoomId> known = ConcurrentHashMap.newKeySet();

    /** Rooms with queued messages or acknowledgements. */
    private final Set<Room> unflushed = new LinkedHashSet<>();

    private final FrameCoalescer coalescer;
    /** The scheduled flush; null if none is due. */
    private @Nullable Future<?> flushing;
    /** Whether the scheduled flush waits for entries of other servers. */
    private boolean awaitingOthers;

    private int emptyRooms;
    private long recentBytes;
    /** Rooms that are not in the map have no messages in memory up to this position. */
    private long nothingBefore = -1;

    private long lastPosition;
    private final Epochs epochs = new Epochs();

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
        this.coalescer = new FrameCoalescer(settings.merge().toNanos());
        this.storedNotifications = new StoredNotifications(settings.storedInterval(), loop, counters, this::abandon);
        this.duplicates = new DuplicateResponder(window, loop, this, counters);
        this.catchUp = new CatchUp(
                settings, history, backlog, window, epochs, this::lostEnd, loop, nanoTime, counters, scheduler);
        this.presence = presence.in(this::withMembers);
        this.traces = traces;
    }

    /** Must be called before the partition starts. */
    void serve(LogPartition<PendingAck> partition, VacancyTimer vacancy) {
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

    /** Completes when the recent messages have been read, so that a JOIN does not wait for them. */
    CompletableFuture<Void> begun() {
        return begun;
    }

    /** Whether members that have left a room still receive earlier messages. */
    boolean hasDepartedMembersCatchingUp() {
        return rooms.values().stream().anyMatch(Room::hasDepartedMembersCatchingUp);
    }

    /** Stops timers after the partition has been closed. */
    void end() {
        if (ticking != null) ticking.cancel(false);
        presence.end();
    }

    /** Milliseconds of the monotonic clock. */
    private long nowMillis() {
        return TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong());
    }

    /** Whether the room is in memory. Any thread. */
    boolean knows(RoomId id) {
        return known.contains(id);
    }

    /** Answers resends of known messages without publishing them. Any thread. */
    DuplicateResponder duplicates() {
        return duplicates;
    }

    /** Creates the presence of this partition, which needs its rooms and is needed by them. */
    interface PresenceOf {
        /** @param withMembers finds a room; null if it has no members on this server */
        PartitionPresence in(Function<RoomId, @Nullable Room> withMembers);
    }

    private @Nullable Room withMembers(RoomId id) {
        Room room = rooms.get(id);
        return room != null && room.memberships() > 0 ? room : null;
    }

    PartitionPresence presence() {
        return presence;
    }

    /** As {@link PartitionPresence#roster}. If it fails, closes the session, which would wait forever otherwise. */
    void roster(Membership membership, @Nullable String after, int limit, Consumer<Boolean> answered) {
        try {
            presence.roster(membership, after, limit, answered);
        } catch (RuntimeException | Error failure) {
            logger.atError()
                    .addKeyValue(LineFields.ROOM, membership.room())
                    .setCause(failure)
                    .log("failed to send the roster of room {}: closing the session", membership.room());
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
        // A higher stored position belongs to entries that the log has lost; new entries may have the same positions.
        if (stored != null && stored.position() < entry.position(0)) storedNotifications.read(stored);
        epochs.read(entry);
        if (stored != null) checkStoredPosition(stored.position());
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
        evictBeyondBounds();
        if (waits) coalescer.read(entry.header().run());
        flushSoon();
    }

    /** Schedules a flush behind the entries that have been read already, after the delay of {@link FrameCoalescer}. */
    private void flushSoon() {
        if (unflushed.isEmpty() && (traces == null || traces.isEmpty())) return;
        boolean allHeard = coalescer.isEveryWriterHeard();
        if (flushing != null) {
            if (!awaitingOthers || !allHeard) return; // else no entry is awaited any more: flush earlier
            flushing.cancel(false);
        }
        long left = coalescer.left(nanoTime.getAsLong(), partition == null ? 0 : partition.queueingNanos());
        awaitingOthers = left > 0 && !allHeard;
        try {
            flushing = left > 0 ? loop.schedule(this::flush, left, TimeUnit.NANOSECONDS) : loop.submit(this::flush);
        } catch (RejectedExecutionException stopping) {
            // The partition is closed: no members are left.
        }
    }

    private void flush() {
        flushing = null;
        coalescer.flushed(nanoTime.getAsLong());
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

    /** Returns whether messages or acknowledgements wait for the next flush. */
    private boolean deliver(Room room, Segment segment, LogEntry entry, @Nullable List<PendingAck> own) {
        List<RecentMessage> fresh = new ArrayList<>(segment.size());
        // Large rooms receive JOINs and LEAVEs as aggregated MEMBERS frames; memory and history keep every one.
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
            // A published message has been accepted, so it cannot be rejected any more: it gets a derived id.
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
        if (changes.joined.isEmpty() && changes.left.isEmpty()) waits = queue(room, live, changes.acks);
        else apply(room, live, changes);
        storedNotifications.delivered(room, fresh);
        return waits;
    }

    private long firstPosition(Room room, Renamed message, long content, long position, long now) {
        key.of(room.key(), message.id(), message.userId());
        return window.firstPosition(key.high(), key.low(), content, position, now);
    }

    /**
     * Queues messages and acknowledgements for the next flush. A server without members of the room needs no flush.
     *
     * @return whether the room waits for a flush
     */
    private boolean queue(Room room, List<RecentMessage> live, Map<Membership, List<Membership.Ack>> acks) {
        if (acks.isEmpty() && (live.isEmpty() || room.liveMembers() == 0)) return false;
        room.queue(live, acks);
        unflushed.add(room);
        coalescer.add(live.size());
        return true;
    }

    /**
     * Closes the sessions of a room whose delivery failed; other rooms go on. Its members may have received some of the
     * messages, and memory may have a gap: they reconnect and resume from the history.
     */
    private void abandon(Room room, Throwable failure) {
        logger.atError()
                .addKeyValue(LineFields.ROOM, room.id())
                .addKeyValue(LineFields.POSITION, lastPosition)
                .setCause(failure)
                .log("delivery to room {} failed: closing its sessions on this server", room.id());
        recentBytes -= room.recent().clear(lastPosition);
        room.abandon();
    }

    private void endSenders(Segment segment, List<PendingAck> own) {
        for (int i = 0; i < segment.size(); i++) end(own.get(segment.firstIndex() + i), CloseCode.INTERNAL_ERROR);
    }

    /** Closes a session that cannot learn whether its message was accepted. */
    private void end(PendingAck sent, CloseCode code) {
        sent.by().subscriber.close(code);
        sent.by().decided(true); // the JOIN may be in the log: then its LEAVE must follow
        // No other LEAVE follows, so the member is removed here.
        if (sent.type() == MessageType.LEAVE) {
            forget(sent.by());
            presence.left(sent.by());
        }
    }

    private void apply(Room room, List<RecentMessage> fresh, Changes changes) {
        // A leaving member receives messages up to its LEAVE, a joining member those after its JOIN, each in frames of
        // its own. All others receive everything.
        room.flush();
        changes.left.forEach((membership, at) -> {
            if (!changes.joined.containsKey(membership)) leave(room, membership, at, fresh, changes);
        });
        room.queue(fresh, Map.of());
        room.flush();
        changes.joined.forEach((membership, at) ->
                admit(room, membership, at, changes.left.getOrDefault(membership, Long.MAX_VALUE), fresh));
        changes.acks.forEach(room::acknowledge);
    }

    private void leave(Room room, Membership membership, long at, List<RecentMessage> fresh, Changes changes) {
        presence.left(membership);
        membership.leftAt(at);
        if (membership.isLive()) room.sendTo(membership, between(fresh, 0, at));
        remove(room, membership);
        // A member that is catching up continues until it has the messages before its LEAVE.
        if (membership.catchesUp()) room.keepCatchingUp(membership);
        else membership.left();
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
        if (!membership.isJoining()) return; // its session has ended
        room.endEarlierCatchUp(membership.subscriber);
        if (room.memberships() == 0) emptyRooms--;
        room.admit(membership);
        debug("session {} joined room {}", membership);
        storedNotifications.admitted(room, membership);
        counters.memberships.increment();
        if (Room.startsNow(membership)) room.welcome(membership, at - 1, presence.membersAt(room.id(), at));
        if (left != Long.MAX_VALUE) {
            membership.leftAt(left);
            remove(room, membership);
            membership.end();
        }
        if (Room.startsNow(membership)) {
            room.sendTo(membership, between(fresh, at, left));
            room.finish(membership);
        } else {
            if (left != Long.MAX_VALUE) room.keepCatchingUp(membership);
            catchUp.begin(room, membership, at);
        }
    }

    private void evictBeyondBounds() {
        if (recentBytes <= settings.partitionBytes() && emptyRooms <= settings.emptyRooms()) return;
        // Evicts an eighth more than necessary, so that this loop runs rarely.
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

    /** Detects a lost end of the log: the consumer has stored positions that this log does not have. */
    private void checkStoredPosition(long stored) {
        Epochs.Hole hole = epochs.provenBy(stored);
        if (hole == null || !hole.markLossy()) return;
        logger.atWarn()
                .addKeyValue(LineFields.POSITION, hole.from())
                .addKeyValue(LineFields.POSITION_TO, hole.to())
                .log("the log lost its end before this server started: gap from {} to {}", hole.from(), hole.to());
        for (Room room : rooms.values()) emitLostEnd(room, hole);
    }

    /** Handles a member that has received, or claims to have received, messages that the log has lost. */
    private void lostEnd(Room room, Epochs.Hole hole) {
        if (room.hasLost(hole)) return;
        room.markLost(hole);
        emitLostEnd(room, hole);
    }

    /** Live members receive the GAP at once; a client that resumes from before the hole receives it in its place. */
    private void emitLostEnd(Room room, Epochs.Hole hole) {
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
        // A lost message must not be acknowledged again: a resend publishes it as a new one.
        if (gap.reason() == LogGap.Reason.REPLACED) {
            window.forgetFrom(gap.kept());
            epochs.replaced(gap.reaches());
        }
        if (gap.reason() == LogGap.Reason.LOST_EARLIER) catchUp.reused(gap.from(), gap.to());
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
                case JOIN -> joinRejected(sent);
                case TEXT -> sent.by().refusals.textRefused(sent.by(), sent.clientMessageId());
                case LEAVE -> {}
            }
        }
        // After the JOINs: if neither a LEAVE nor the JOIN after it was published, the member stays as it was.
        for (PendingAck sent : messages)
            if (sent.type() == MessageType.LEAVE) sent.by().refusals.leaveRefused(sent.by(), sent.clientMessageId());
    }

    private void joinRejected(PendingAck join) {
        Membership membership = join.by();
        membership.left();
        membership.refusals.joinRefused(membership, join.clientMessageId());
        membership.decided(false);
        membership.end();
    }

    @Override
    public void outcomeUnknown(List<PendingAck> messages) {
        for (PendingAck sent : messages) end(sent, CloseCode.OUTCOME_UNKNOWN);
    }

    /** Removes the member of an ended session whose LEAVE the log does not accept now, and publishes the LEAVE later. */
    void leaveLater(OutgoingMessage message, PendingAck sent) {
        forget(sent.by());
        presence.leaveLater(message, sent);
    }

    private void forget(Membership membership) {
        membership.left();
        Room room = rooms.get(membership.room);
        if (room != null) remove(room, membership);
        membership.end();
    }

    /** Acknowledges a resend of a known message. */
    void acknowledge(Membership membership, Membership.Ack ack) {
        Room room = room(membership.room);
        List<Membership.Ack> acks = new ArrayList<>(1);
        acks.add(ack);
        queue(room, List.of(), Map.of(membership, acks)); // behind the message, if it is still queued
        flushSoon();
    }

    /** Rejects a message whose sender has used its id for another message in this room; nothing was published. */
    void conflict(PendingAck sent) {
        counters.conflicts.increment();
        refuse(sent);
    }

    private static void refuse(PendingAck sent) {
        Membership by = sent.by();
        by.refusals.conflict(by, sent.type(), sent.clientMessageId());
        if (sent.type() != MessageType.JOIN) return;
        by.left();
        by.decided(false); // after the rejection, which the waiting code expects
        by.end();
    }

    private void remove(Room room, Membership membership) {
        long begun = nanoTime.getAsLong();
        int before = room.memberships();
        room.remove(membership);
        storedNotifications.left(room, membership);
        if (room.memberships() < before) debug("session {} left room {}", membership);
        counters.memberships.add(room.memberships() - before);
        if (before > 0 && room.memberships() == 0) emptyRooms++;
        long millis = TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - begun);
        // The work is constant, so this is a starved thread or a fault.
        if (millis > SLOW_MILLIS)
            logger.atWarn()
                    .addKeyValue(LineFields.SESSION, membership.subscriber.id())
                    .addKeyValue(LineFields.ROOM, membership.room)
                    .log("removing a session from room {} took {} ms", membership.room, millis);
    }

    private static void debug(String message, Membership membership) {
        if (!logger.isDebugEnabled()) return;
        String session = membership.subscriber.id();
        logger.atDebug()
                .addKeyValue(LineFields.SESSION, session)
                .addKeyValue(LineFields.ROOM, membership.room)
                .log(message, session, membership.room);
    }

    int activeRooms() {
        return rooms.size() - emptyRooms;
    }

    /** JOINs, LEAVEs and acknowledgements of one segment, for the sessions that sent the messages. */
    private static final class Changes {
        final Map<Membership, Long> joined = new LinkedHashMap<>(2);
        final Map<Membership, Long> left = new LinkedHashMap<>(2);
        final Map<Membership, List<Membership.Ack>> acks = new HashMap<>(4);

        /** @param first the position of an earlier copy of the message in the log, or -1 */
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
