package chat.server.room;

import chat.protocol.ServerFrames;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * Tells members who asked for it up to where their room is stored, as the consumer says it in the log: one frame for all
 * of a room, at most one in an interval, and only where something of the room is newly stored. Costs nothing in rooms
 * where nobody asked. Confined to the partition's thread.
 */
final class StoredNews {
    private static final long NONE = -1;

    private final long intervalMillis;
    private final ScheduledExecutorService loop;
    private final RoomCounters counters;
    private final BiConsumer<Room, Throwable> broken;
    private final Map<Room, Asking> asking = new LinkedHashMap<>();
    /** Up to where the partition is stored, as far as is known here. */
    private long stored = NONE;

    /** The last frames are not older than the interval. */
    private boolean resting;

    /** What the members of one room who asked have been told. */
    private static final class Asking {
        final Set<Membership> members = new LinkedHashSet<>();
        /** The first message of the room that is not known to be stored. */
        long firstUnstored = NONE;

        long told = NONE;
        /** Some have not been told, since their WELCOME must come first. */
        boolean unfinished;
    }

    /** @param broken told of a room whose members may have missed something, and why */
    StoredNews(
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
    void said(Room room, List<Recent> messages) {
        if (asking.isEmpty() || messages.isEmpty()) return;
        Asking here = asking.get(room);
        if (here != null && here.firstUnstored == NONE)
            here.firstUnstored = messages.getFirst().position();
    }

    /** Everything of the partition up to this position is stored. */
    void read(long position) {
        counters.storedRead.increment();
        if (position <= stored) return;
        stored = position;
        if (!resting) tell();
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
        if (!here.unfinished) return false;
        here.unfinished = false;
        List<Membership> due = new ArrayList<>(here.members.size());
        for (Membership member : here.members) {
            if (member.storedTold >= here.told) continue;
            if (member.welcomed) due.add(member);
            else here.unfinished = true;
        }
        if (due.isEmpty()) return here.unfinished;
        room.flush(out); // nobody hears that something is stored before it has heard it
        ByteBuf frame = Frames.text(ServerFrames.stored(room.id(), here.told));
        for (Membership member : due) {
            member.storedTold = here.told;
            out.batch(member.subscriber.lane()).add(member.subscriber, frame.retainedDuplicate());
        }
        frame.release();
        counters.storedTold.add(due.size());
        return true;
    }
}
