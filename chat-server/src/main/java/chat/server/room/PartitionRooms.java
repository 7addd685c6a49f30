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
import chat.server.dedup.ContentHash;
import chat.server.dedup.DedupWindow;
import chat.server.dedup.MessageKey;
import chat.server.dedup.MessageWithDerivedId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
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

    private final RoomCounters counters;
    private final LongSupplier nanoTime;
    private final ScheduledExecutorService loop;
    private final RoomTable rooms;
    private final PartitionPresence presence;
    private final Epochs epochs = new Epochs();
    private final LostEnds lostEnds;
    private final DedupWindow window;
    private final MessageKey key = new MessageKey();
    private final DuplicateResponder duplicates;
    private final StoredNotifications storedNotifications;
    private final CatchUp catchUp;
    private final Memberships memberships;
    private final FlushSchedule flushes;
    /** Null if tracing is off. */
    private final @Nullable PartitionTraces traces;

    private final CompletableFuture<Void> begun = new CompletableFuture<>();
    private @Nullable LogPartition<PendingAck> partition;
    private @Nullable Future<?> ticking;

    PartitionRooms(
            RoomSettings settings,
            LongSupplier nanoTime,
            RoomCounters counters,
            RoomTable rooms,
            PartitionPresence presence,
            History history,
            Backlog backlog,
            ScheduledExecutorService loop,
            int rememberedIds,
            long idMemoryMillis,
            CatchUpScheduler scheduler,
            @Nullable PartitionTraces traces) {
        this.nanoTime = nanoTime;
        this.counters = counters;
        this.loop = loop;
        this.rooms = rooms;
        this.presence = presence;
        this.traces = traces;
        this.lostEnds = new LostEnds(rooms, epochs);
        this.window = new DedupWindow(rememberedIds, idMemoryMillis, nowMillis(), counters.idsCutShort);
        this.duplicates = new DuplicateResponder(window, loop, this, counters);
        this.storedNotifications = new StoredNotifications(settings.storedInterval(), loop, counters, rooms);
        this.catchUp =
                new CatchUp(settings, history, backlog, window, epochs, lostEnds, loop, nanoTime, counters, scheduler);
        this.memberships = new Memberships(rooms, presence, storedNotifications, catchUp, nanoTime);
        this.flushes = new FlushSchedule(rooms, loop, nanoTime, traces);
    }

    /** Must be called before the partition starts. */
    void serve(LogPartition<PendingAck> partition, VacancyTimer vacancy) {
        this.partition = partition;
        presence.serve(partition);
        ticking = loop.scheduleWithFixedDelay(
                () -> {
                    presence.checkTimeouts();
                    openWhenReady();
                    presence.sendDue();
                    catchUp.tick();
                    vacancy.look(rooms.activeRooms() == 0 && presence.hasNoPendingLeaves() && partition.isIdle());
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
        return rooms.hasDepartedMembersCatchingUp();
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
        return rooms.knows(id);
    }

    /** Answers resends of known messages without publishing them. Any thread. */
    DuplicateResponder duplicates() {
        return duplicates;
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
        openWhenReady();
    }

    @Override
    public boolean ready() {
        return presence.isReady();
    }

    /** Lets the partition accept messages as soon as presence is ready. */
    private void openWhenReady() {
        if (begun.isDone() || !presence.isReady()) return;
        begun.complete(null);
        if (partition != null) partition.look();
    }

    @Override
    public void readBack(long publishedNanos, long confirmedNanos) {
        if (traces != null) traces.readBack(publishedNanos, confirmedNanos);
    }

    @Override
    public void entry(LogEntry entry, @Nullable List<PendingAck> own) {
        rooms.read(entry);
        StoredThrough stored = entry.stored();
        // Ignore a stored position at or above this entry: it belongs to lost entries, and new ones may reuse it.
        if (stored != null && stored.position() < entry.position(0)) storedNotifications.read(stored);
        epochs.read(entry);
        if (stored != null) lostEnds.stored(stored.position());
        presence.read(entry);
        if (entry.header().kind() == EntryKind.MESSAGES) messages(entry, own);
        presence.publishDue();
        openWhenReady();
    }

    private void messages(LogEntry entry, @Nullable List<PendingAck> own) {
        if (traces != null) traces.entry();
        for (Segment segment : entry.segments()) {
            Room room = room(segment.room());
            try {
                deliver(room, segment, entry, own);
            } catch (RuntimeException | Error failure) {
                rooms.abandon(room, failure);
                if (own != null) endSenders(segment, own);
            }
        }
        rooms.evictBeyondBounds();
        scheduleFlush();
    }

    private void scheduleFlush() {
        flushes.schedule(partition == null ? 0 : partition.lingerNanos());
    }

    private Room room(RoomId id) {
        Room room = rooms.find(id);
        return room != null ? room : rooms.add(id, () -> presence.members(id));
    }

    private void deliver(Room room, Segment segment, LogEntry entry, @Nullable List<PendingAck> own) {
        List<RecentMessage> fresh = new ArrayList<>(segment.size());
        // Large rooms receive JOINs and LEAVEs as aggregated MEMBERS frames; memory and history keep every one.
        boolean merged = presence.isLarge(segment.room());
        List<RecentMessage> live = merged ? new ArrayList<>(segment.size()) : fresh;
        SegmentOutcome outcome = new SegmentOutcome();
        long now = nowMillis();
        for (int i = 0; i < segment.size(); i++) {
            int index = segment.firstIndex() + i;
            long position = entry.position(index);
            long content = ContentHash.of(
                    segment.type(i), segment.timestamp(i), segment.array(), segment.jsonStart(i), segment.jsonEnd(i));
            key.of(room.key(), segment, i);
            long first = window.firstPosition(key.high(), key.low(), content, position, now);
            MessageWithDerivedId renamed = null;
            // A published message has been accepted, so it cannot be rejected any more: it gets a derived id.
            if (DedupWindow.isConflict(first)) {
                renamed = MessageWithDerivedId.of(room.id(), segment.json(i));
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
            if (own != null) outcome.add(own.get(index), segment, i, position, first);
        }
        counters.delivered.add((long) live.size() * room.liveMembers());
        rooms.keep(room, fresh);
        if (outcome.changesMembers()) memberships.apply(room, live, outcome);
        else flushes.queue(room, live, outcome.acks);
        storedNotifications.delivered(room, fresh);
    }

    private long firstPosition(Room room, MessageWithDerivedId message, long content, long position, long now) {
        key.of(room.key(), message.id(), message.userId());
        return window.firstPosition(key.high(), key.low(), content, position, now);
    }

    private void endSenders(Segment segment, List<PendingAck> own) {
        for (int i = 0; i < segment.size(); i++)
            memberships.outcomeUnknown(own.get(segment.firstIndex() + i), CloseCode.INTERNAL_ERROR);
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
        rooms.dropAll(gap.to());
        if (gap.reaches()) rooms.forEach(room -> room.emitGap(gap.from(), gap.to()));
        presence.entriesMissing();
    }

    @Override
    public void refused(List<PendingAck> messages) {
        memberships.rejected(messages);
    }

    @Override
    public void outcomeUnknown(List<PendingAck> messages) {
        for (PendingAck sent : messages) memberships.outcomeUnknown(sent, CloseCode.OUTCOME_UNKNOWN);
    }

    /**
     * Removes the member of an ended session whose LEAVE the log does not accept now, and publishes the LEAVE later.
     */
    void leaveLater(OutgoingMessage message, PendingAck sent) {
        memberships.leaveLater(message, sent);
    }

    /** Acknowledges a resend of a known message. */
    void acknowledge(Membership membership, Membership.Ack ack) {
        List<Membership.Ack> acks = new ArrayList<>(1);
        acks.add(ack);
        // Behind the message, if it is still queued.
        flushes.queue(room(membership.room), List.of(), Map.of(membership, acks));
        scheduleFlush();
    }

    /** Rejects a message whose sender has used its id for another message in this room; nothing was published. */
    void conflict(PendingAck sent) {
        counters.conflicts.increment();
        memberships.rejectConflict(sent);
    }
}
