package chat.server.room;

import chat.log.NotStored;
import chat.log.StoredThrough;
import chat.protocol.RoomId;
import chat.protocol.ServerFrames;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * Tells members who asked for it up to where their room is stored, as the consumer says it in the log: one frame for all
 * of a room, at most one in an interval, and only where something of the room is newly stored. A member whose own messages
 * could not be stored gets a frame that names them. Costs nothing in rooms without such members. Confined to the partition's
 * thread.
 */
final class StoredNotifications {
    private static final long NONE = -1;
    /** For members that come back. */
    private static final int REMEMBERED_LOSSES = 10_000;

    private final long intervalMillis;
    private final ScheduledExecutorService loop;
    private final RoomCounters counters;
    private final BiConsumer<Room, Throwable> broken;
    private final Map<Room, Asking> asking = new LinkedHashMap<>();
    /** Up to where the partition is stored, as far as is known here. */
    private long stored = NONE;

    /** Messages that are not stored, the first read first. */
    private final Map<Long, Loss> losses = new LinkedHashMap<>();

    private final Map<RoomId, List<Loss>> lossesByRoom = new HashMap<>();
    /** Of the newest loss. */
    private long lossesRead;

    /** @param number counts losses in the order in which they were read */
    private record Loss(long number, NotStored message) {}

    /** The last frames are not older than the interval. */
    private boolean resting;

    /** What the members of one room who asked have been told. */
    private static final class Asking {
        final Set<Membership> members = new LinkedHashSet<>();
        /** The first message of the room that is not known to be stored. */
        long firstUnstored = NONE;

        long told = NONE;
        /** The newest of its losses when its members were told last. */
        long lossesTold;
        /** Some have not been told, since their WELCOME must come first. */
        boolean unfinished;
    }

    /** @param broken told of a room whose members may have missed something, and why */
    StoredNotifications(
            Duration interval,
            ScheduledExecutorService loop,
            RoomCounters counters,
            BiConsumer<Room, Throwable> broken) {
        this.broken = broken;
        this.intervalMillis = interval.toMillis();
        this.loop = loop;
        this.counters = counters;
    }

    void admitted(Room room, Membership membership) {
        if (!membership.wantsStored) return;
        Asking here = asking.computeIfAbsent(room, unused -> new Asking());
        membership.storedTold = here.told; // what is stored by now is told with the next news, its own JOIN's
        here.members.add(membership);
    }

    void left(Room room, Membership membership) {
        if (!membership.wantsStored) return;
        Asking here = asking.get(room);
        if (here == null || !here.members.remove(membership)) return;
        if (here.members.isEmpty()) asking.remove(room);
    }

    /** New messages of a room, after those who joined with them were admitted. */
    void said(Room room, List<RecentMessage> messages) {
        if (asking.isEmpty() || messages.isEmpty()) return;
        Asking here = asking.get(room);
        if (here != null && here.firstUnstored == NONE)
            here.firstUnstored = messages.getFirst().position();
    }

    void read(StoredThrough through) {
        counters.storedRead.increment();
        boolean news = through.position() > stored;
        for (NotStored message : through.notStored()) news |= remember(message);
        if (!news) return;
        stored = Math.max(stored, through.position());
        if (!resting) tell();
    }

    /** Returns false where it is known. */
    private boolean remember(NotStored message) {
        Loss loss = new Loss(lossesRead + 1, message);
        if (losses.putIfAbsent(message.position(), loss) != null) return false;
        lossesRead = loss.number;
        lossesByRoom
                .computeIfAbsent(message.room(), unused -> new ArrayList<>())
                .add(loss);
        if (losses.size() > REMEMBERED_LOSSES) {
            Loss oldest = losses.remove(losses.keySet().iterator().next());
            if (oldest != null) forget(oldest);
        }
        return true;
    }

    private void forget(Loss loss) {
        RoomId room = loss.message.room();
        List<Loss> ofRoom = lossesByRoom.get(room);
        if (ofRoom == null) return;
        ofRoom.remove(loss);
        if (ofRoom.isEmpty()) lossesByRoom.remove(room);
    }

    private List<UUID> newLosses(List<Loss> ofRoom, Membership member) {
        List<UUID> ids = new ArrayList<>(0);
        for (Loss loss : ofRoom.reversed()) {
            if (loss.number <= member.lossesTold) break;
            if (loss.message.userId().equals(member.member.userId())) ids.add(loss.message.messageId());
        }
        return ids;
    }

    private void tell() {
        FanOut out = new FanOut();
        boolean spoken = false;
        for (Map.Entry<Room, Asking> each : asking.entrySet()) {
            try {
                spoken |= tell(each.getKey(), each.getValue(), out);
            } catch (RuntimeException | Error failure) {
                broken.accept(each.getKey(), failure);
            }
        }
        out.submit();
        if (spoken) rest();
    }

    private void rest() {
        resting = true;
        try {
            loop.schedule(
                    () -> {
                        resting = false;
                        tell();
                    },
                    intervalMillis,
                    TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException stopping) {
            // Nobody is told anything any more.
        }
    }

    /** Returns whether somebody was told, or is to be told soon. */
    private boolean tell(Room room, Asking here, FanOut out) {
        if (here.firstUnstored != NONE && here.firstUnstored <= stored) {
            here.told = stored;
            here.firstUnstored = room.recent().firstAfter(stored);
            here.unfinished = true;
        }
        List<Loss> lost = lossesByRoom.getOrDefault(room.id(), List.of());
        if (!lost.isEmpty() && lost.getLast().number > here.lossesTold) {
            here.told = stored;
            here.lossesTold = lost.getLast().number;
            here.unfinished = true;
        }
        if (!here.unfinished) return false;
        here.unfinished = false;
        List<Membership> due = new ArrayList<>(here.members.size());
        Map<Membership, List<UUID>> losers = new HashMap<>(0);
        for (Membership member : here.members) {
            List<UUID> own = newLosses(lost, member);
            if (member.storedTold >= here.told && own.isEmpty()) continue;
            if (!member.welcomed) here.unfinished = true;
            else if (own.isEmpty()) due.add(member);
            else losers.put(member, own);
        }
        if (due.isEmpty() && losers.isEmpty()) return here.unfinished;
        room.flush(out); // nobody hears that something is stored before it has heard it
        ByteBuf frame = Frames.text(ServerFrames.stored(room.id(), here.told, List.of()));
        for (Membership member : due) tell(member, here.told, frame.retainedDuplicate(), out);
        frame.release();
        losers.forEach((member, ids) -> {
            tell(member, here.told, Frames.text(ServerFrames.stored(room.id(), here.told, ids)), out);
            counters.notStoredTold.add(ids.size());
        });
        return true;
    }

    private void tell(Membership member, long told, ByteBuf frame, FanOut out) {
        member.storedTold = told;
        member.lossesTold = lossesRead;
        out.batch(member.subscriber.lane()).add(member, frame);
        counters.storedTold.increment();
    }
}
