package chat.server.room;

import chat.log.EntryKind;
import chat.log.LogEntry;
import chat.log.LogGap;
import chat.log.LogPartition;
import chat.log.Segment;
import chat.protocol.CloseCode;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rooms of one partition: takes what the log says to the members on this server, in the order of the log. Runs on the
 * partition's thread.
 */
final class PartitionRooms implements LogPartition.Owner<Sent> {
    private static final Logger logger = LoggerFactory.getLogger(PartitionRooms.class);
    /** Rooms without members here whose last messages are kept. */
    private static final int MAX_EMPTY_ROOMS = 10_000;

    private final RoomSettings settings;
    private final Clock clock;
    private final RoomCounters counters;
    private final RecentIds ids;
    private final CatchUp catchUp;
    private final Runnable onStarted;
    /** In the order of their last use. */
    private final Map<RoomId, Room> rooms = new LinkedHashMap<>(64, 0.75f, true);

    private int emptyRooms;
    private long recentBytes;
    /** A room that is not in the map has nothing before this. */
    private long nothingBefore = -1;

    private long lastPosition;

    PartitionRooms(
            RoomSettings settings,
            Clock clock,
            RoomCounters counters,
            History history,
            ScheduledExecutorService loop,
            long idMemoryMillis,
            Runnable onStarted) {
        this.settings = settings;
        this.clock = clock;
        this.counters = counters;
        this.ids = new RecentIds(settings.rememberedIds(), idMemoryMillis, clock.millis());
        this.catchUp = new CatchUp(settings, history, loop, clock, counters);
        this.onStarted = onStarted;
    }

    @Override
    public void started() {
        onStarted.run();
    }

    @Override
    public void entry(LogEntry entry, @Nullable List<Sent> own) {
        if (nothingBefore < 0) nothingBefore = entry.position(0) - 1;
        lastPosition = entry.lastPosition();
        if (entry.header().kind() != EntryKind.MESSAGES) return;
        for (Segment segment : entry.segments()) {
            deliver(room(segment.room()), segment, entry, own);
        }
        forgetBeyondBounds();
    }

    private Room room(RoomId id) {
        Room room = rooms.get(id);
        if (room == null) {
            room = new Room(id, settings, nothingBefore);
            rooms.put(id, room);
            emptyRooms++;
        }
        return room;
    }

    private void deliver(Room room, Segment segment, LogEntry entry, @Nullable List<Sent> own) {
        List<Recent> fresh = new ArrayList<>(segment.size());
        Changes changes = new Changes();
        for (int i = 0; i < segment.size(); i++) {
            int index = segment.firstIndex() + i;
            long position = entry.position(index);
            long first = ids.firstPosition(segment.idHigh(i), segment.idLow(i), position, clock.millis());
            boolean isNew = first < 0;
            if (isNew) fresh.add(new Recent(position, segment.json(i)));
            else counters.repeated.increment();
            if (own != null) changes.note(own.get(index), segment, i, isNew ? position : first, position);
        }
        apply(room, fresh, changes);
    }

    private void apply(Room room, List<Recent> fresh, Changes changes) {
        // Who leaves gets what stands up to its LEAVE, and who joins what stands from its JOIN on: alone, since
        // everyone
        // else gets the whole.
        changes.left.forEach((membership, position) -> {
            if (membership.state == Membership.State.LIVE) room.sendTo(membership, upTo(fresh, position));
            acknowledge(room, membership, changes);
            remove(room, membership);
        });
        counters.delivered.add((long) fresh.size() * room.emit(fresh));
        for (Recent message : fresh) recentBytes += room.recent().add(message.position(), message.json());
        changes.joined.forEach((membership, position) -> admit(room, membership, position, fresh));
        changes.acks.forEach((membership, acks) -> room.acknowledge(membership, acks));
    }

    private static void acknowledge(Room room, Membership membership, Changes changes) {
        List<Membership.Ack> acks = changes.acks.remove(membership);
        if (acks != null) room.acknowledge(membership, acks);
    }

    private static List<Recent> upTo(List<Recent> messages, long position) {
        return messages.stream()
                .filter(message -> message.position() <= position)
                .toList();
    }

    private void admit(Room room, Membership membership, long position, List<Recent> fresh) {
        if (membership.state != Membership.State.JOINING) return; // it has gone in the meantime
        if (room.memberships() == 0) emptyRooms--;
        membership.state = Membership.State.CATCHING_UP;
        room.admit(membership);
        if (Room.startsNow(membership)) {
            room.welcome(membership, position - 1);
            room.sendTo(
                    membership,
                    fresh.stream()
                            .filter(message -> message.position() >= position)
                            .toList());
            room.goLive(membership);
        } else {
            catchUp.begin(room, membership, position);
        }
    }

    private void forgetBeyondBounds() {
        if (recentBytes <= settings.partitionBytes() && emptyRooms <= MAX_EMPTY_ROOMS) return;
        Iterator<Room> leastUsedFirst = rooms.values().iterator();
        while (leastUsedFirst.hasNext() && (recentBytes > settings.partitionBytes() || emptyRooms > MAX_EMPTY_ROOMS)) {
            Room room = leastUsedFirst.next();
            recentBytes -= room.recent().clear(lastPosition);
            if (room.memberships() > 0) continue;
            leastUsedFirst.remove();
            emptyRooms--;
            nothingBefore = lastPosition;
        }
    }

    @Override
    public void gap(LogGap gap) {
        logger.warn("the log has a gap ({}) from {} to {}", gap.reason(), gap.from(), gap.to());
        for (Room room : rooms.values()) {
            recentBytes -= room.recent().clear(gap.to());
            room.emitGap(gap.from(), gap.to());
        }
        nothingBefore = Math.max(nothingBefore, gap.to());
    }

    @Override
    public void refused(List<Sent> messages) {
        for (Sent sent : messages) {
            switch (sent.type()) {
                case JOIN -> {
                    sent.by().state = Membership.State.LEFT;
                    sent.by().refusals.joinRefused(sent.by());
                }
                case TEXT -> sent.by().refusals.refused(sent.by(), sent.clientMessageId());
                case LEAVE -> leaveLost(sent);
            }
        }
    }

    @Override
    public void outcomeUnknown(List<Sent> messages) {
        for (Sent sent : messages) {
            sent.by().subscriber.close(CloseCode.OUTCOME_UNKNOWN);
            if (sent.type() == MessageType.LEAVE) leaveLost(sent);
        }
    }

    /** The log will not say it, so the room must hear it here: the member is gone from this server. */
    private void leaveLost(Sent leave) {
        Room room = rooms.get(leave.by().room);
        if (room == null) return;
        remove(room, leave.by());
        leave.by().refusals.refused(leave.by(), leave.clientMessageId());
    }

    /** A session has ended whose LEAVE could not be written. */
    void forget(Membership membership) {
        Room room = rooms.get(membership.room);
        if (room == null) {
            membership.state = Membership.State.LEFT;
            return;
        }
        remove(room, membership);
    }

    private void remove(Room room, Membership membership) {
        int before = room.memberships();
        room.remove(membership);
        if (before > 0 && room.memberships() == 0) emptyRooms++;
    }

    int activeRooms() {
        return rooms.size() - emptyRooms;
    }

    /** What the messages of one segment mean for the sessions that sent them. */
    private static final class Changes {
        final Map<Membership, Long> joined = new LinkedHashMap<>(2);
        final Map<Membership, Long> left = new LinkedHashMap<>(2);
        final Map<Membership, List<Membership.Ack>> acks = new HashMap<>(4);

        /** @param accepted the position that counts: the first one where the message came before */
        void note(Sent sent, Segment segment, int i, long accepted, long here) {
            switch (sent.type()) {
                case JOIN -> joined.put(sent.by(), here);
                case LEAVE -> {
                    left.put(sent.by(), here);
                    acknowledge(sent, segment, i, accepted);
                }
                case TEXT -> acknowledge(sent, segment, i, accepted);
            }
        }

        private void acknowledge(Sent sent, Segment segment, int i, long accepted) {
            acks.computeIfAbsent(sent.by(), unused -> new ArrayList<>(4))
                    .add(new Membership.Ack(segment.messageId(i), accepted, segment.timestamp(i)));
        }
    }
}
