package chat.server.room;

import chat.log.NotStored;
import chat.log.StoredThrough;
import chat.protocol.ServerFrames;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Sends STORED frames to the members that asked for them, when the consumer reports in the log how far it has stored
 * the partition. One frame for all members of a room, at most one per interval, and only if messages of the room were
 * stored. A member whose own messages became dead letters receives a frame that names them. Confined to the partition's
 * thread.
 */
final class StoredNotifications {
    private static final long NONE = -1;

    private final long intervalMillis;
    private final ScheduledExecutorService loop;
    private final RoomCounters counters;
    private final RoomTable rooms;
    private final Map<Room, RoomState> roomStates = new LinkedHashMap<>();
    /** The highest stored position that was read. */
    private long stored = NONE;

    private final RecentDeadLetters deadLetters = new RecentDeadLetters();

    /** Frames were sent less than an interval ago. */
    private boolean paused;

    /** How far STORED frames have informed one member. */
    private static final class Progress {
        long position;
        /** Number of the newest dead letter that its frames cover. */
        long deadLetter;

        Progress(long position) {
            this.position = position;
        }
    }

    /** The members of a room that asked for STORED frames, and the last frame. */
    private static final class RoomState {
        final Map<Membership, Progress> members = new LinkedHashMap<>();
        /** Position of the first message that is not known to be stored. */
        long firstUnstored = NONE;

        /** Position in the last frame. */
        long notified = NONE;
        /** Number of the newest dead letter that the last frame covers. */
        long deadLetter;
        /** Some members still have to receive the last frame, after their WELCOME. */
        boolean pending;
    }

    /** @param rooms abandons a room whose members may have missed a frame */
    StoredNotifications(Duration interval, ScheduledExecutorService loop, RoomCounters counters, RoomTable rooms) {
        this.rooms = rooms;
        this.intervalMillis = interval.toMillis();
        this.loop = loop;
        this.counters = counters;
    }

    void admitted(Room room, Membership membership) {
        if (!membership.wantsStored) return;
        RoomState here = roomStates.computeIfAbsent(room, unused -> new RoomState());
        here.members.put(
                membership, new Progress(here.notified)); // the frame for its own JOIN covers what is stored by now
    }

    void left(Room room, Membership membership) {
        if (!membership.wantsStored) return;
        RoomState here = roomStates.get(room);
        if (here == null || here.members.remove(membership) == null) return;
        if (here.members.isEmpty()) roomStates.remove(room);
    }

    /** Records new messages of a room; must be called after members that joined with them were admitted. */
    void delivered(Room room, List<RecentMessage> messages) {
        if (roomStates.isEmpty() || messages.isEmpty()) return;
        RoomState here = roomStates.get(room);
        if (here != null && here.firstUnstored == NONE)
            here.firstUnstored = messages.getFirst().position();
    }

    void read(StoredThrough through) {
        counters.storedRead.increment();
        boolean isNew = through.position() > stored;
        for (NotStored message : through.notStored()) isNew |= deadLetters.add(message);
        if (!isNew) return;
        stored = Math.max(stored, through.position());
        if (!paused) send();
    }

    private void send() {
        FanOut out = new FanOut();
        boolean sent = false;
        for (Map.Entry<Room, RoomState> each : roomStates.entrySet()) {
            try {
                sent |= send(each.getKey(), each.getValue(), out);
            } catch (RuntimeException | Error failure) {
                rooms.abandon(each.getKey(), failure);
            }
        }
        out.submit();
        if (sent) pause();
    }

    private void pause() {
        paused = true;
        try {
            loop.schedule(
                    () -> {
                        paused = false;
                        send();
                    },
                    intervalMillis,
                    TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException stopping) {
            // The partition is closed: no members are left.
        }
    }

    /** Returns whether a frame was sent or is pending. */
    private boolean send(Room room, RoomState here, FanOut out) {
        if (here.firstUnstored != NONE && here.firstUnstored <= stored) {
            here.notified = stored;
            here.firstUnstored = room.recent().firstAfter(stored);
            here.pending = true;
        }
        long newest = deadLetters.newest(room.id());
        if (newest > here.deadLetter) {
            here.notified = stored;
            here.deadLetter = newest;
            here.pending = true;
        }
        if (!here.pending) return false;
        here.pending = false;
        List<Membership> due = new ArrayList<>(here.members.size());
        Map<Membership, List<UUID>> affected = new HashMap<>(0);
        here.members.forEach((member, progress) -> {
            List<UUID> own = newest > progress.deadLetter
                    ? deadLetters.after(progress.deadLetter, room.id(), member.member.userId())
                    : List.of();
            if (progress.position >= here.notified && own.isEmpty()) return;
            if (!member.isWelcomed()) {
                here.pending = true;
                return;
            }
            if (own.isEmpty()) due.add(member);
            else affected.put(member, own);
        });
        if (due.isEmpty() && affected.isEmpty()) return here.pending;
        room.flush(out); // members receive a message before its STORED
        ByteBuf frame = Frames.text(ServerFrames.stored(room.id(), here.notified, List.of()));
        for (Membership member : due) send(member, here, frame.retainedDuplicate(), out);
        frame.release();
        affected.forEach((member, ids) -> {
            send(member, here, Frames.text(ServerFrames.stored(room.id(), here.notified, ids)), out);
            counters.notStoredTold.add(ids.size());
        });
        return true;
    }

    private void send(Membership member, RoomState here, ByteBuf frame, FanOut out) {
        Progress progress = here.members.get(member);
        if (progress != null) {
            progress.position = here.notified;
            progress.deadLetter = deadLetters.newest();
        }
        out.batch(member.subscriber.queue()).add(member, frame);
        counters.storedTold.increment();
    }
}
