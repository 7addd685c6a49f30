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
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Sends STORED frames to the members that asked for them, when the consumer reports in the log how far it has stored the
 * partition. One frame for all members of a room, at most one per interval, and only if messages of the room were stored.
 * A member whose own messages became dead letters receives a frame that names them. Confined to the partition's thread.
 */
final class StoredNotifications {
    private static final long NONE = -1;
    /** Dead letters kept for members that reconnect. */
    private static final int MAX_UNSTORED = 10_000;

    private final long intervalMillis;
    private final ScheduledExecutorService loop;
    private final RoomCounters counters;
    private final RoomTable rooms;
    private final Map<Room, RoomState> roomStates = new LinkedHashMap<>();
    /** The highest stored position that was read. */
    private long stored = NONE;

    /** Dead letters by position, in the order in which they were read. */
    private final Map<Long, Unstored> unstored = new LinkedHashMap<>();

    private final Map<RoomId, List<Unstored>> unstoredByRoom = new HashMap<>();
    /** Number of the newest dead letter. */
    private long unstoredRead;

    /** @param number counts dead letters in the order in which they were read */
    private record Unstored(long number, NotStored message) {}

    /** Frames were sent less than an interval ago. */
    private boolean paused;

    /** How far STORED frames have informed one member. */
    private static final class Progress {
        long position;
        /** Number of the newest dead letter. */
        long unstored;

        Progress(long position) {
            this.position = position;
        }
    }

    /** The members of a room that asked for STORED frames, and the last frame. */
    private static final class RoomState {
        final Map<Membership, Progress> members = new LinkedHashMap<>();
        /** Position of the first message that is not known to be stored. */
        long firstUnstored = NONE;

        long told = NONE;
        /** Number of the newest dead letter that the last frame covers. */
        long unstoredTold;
        /** Some members still have to receive the last frame, after their WELCOME. */
        boolean pending;
    }

    /** @param rooms abandons a room whose members may have missed a frame */
    StoredNotifications(
            Duration interval,
            ScheduledExecutorService loop,
            RoomCounters counters,
            RoomTable rooms) {
        this.rooms = rooms;
        this.intervalMillis = interval.toMillis();
        this.loop = loop;
        this.counters = counters;
    }

    void admitted(Room room, Membership membership) {
        if (!membership.wantsStored) return;
        RoomState here = roomStates.computeIfAbsent(room, unused -> new RoomState());
        here.members.put(
                membership, new Progress(here.told)); // the frame for its own JOIN covers what is stored by now
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
        for (NotStored message : through.notStored()) isNew |= remember(message);
        if (!isNew) return;
        stored = Math.max(stored, through.position());
        if (!paused) send();
    }

    /** Returns false if the dead letter is known. */
    private boolean remember(NotStored message) {
        Unstored loss = new Unstored(unstoredRead + 1, message);
        if (unstored.putIfAbsent(message.position(), loss) != null) return false;
        unstoredRead = loss.number;
        unstoredByRoom
                .computeIfAbsent(message.room(), unused -> new ArrayList<>())
                .add(loss);
        if (unstored.size() > MAX_UNSTORED) {
            Unstored oldest = unstored.remove(unstored.keySet().iterator().next());
            if (oldest != null) forget(oldest);
        }
        return true;
    }

    private void forget(Unstored loss) {
        RoomId room = loss.message.room();
        List<Unstored> ofRoom = unstoredByRoom.get(room);
        if (ofRoom == null) return;
        ofRoom.remove(loss);
        if (ofRoom.isEmpty()) unstoredByRoom.remove(room);
    }

    private static List<UUID> newUnstored(List<Unstored> ofRoom, long after, String userId) {
        List<UUID> ids = new ArrayList<>(0);
        for (Unstored loss : ofRoom.reversed()) {
            if (loss.number <= after) break;
            if (loss.message.userId().equals(userId)) ids.add(loss.message.messageId());
        }
        return ids;
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
            here.told = stored;
            here.firstUnstored = room.recent().firstAfter(stored);
            here.pending = true;
        }
        List<Unstored> lost = unstoredByRoom.getOrDefault(room.id(), List.of());
        if (!lost.isEmpty() && lost.getLast().number > here.unstoredTold) {
            here.told = stored;
            here.unstoredTold = lost.getLast().number;
            here.pending = true;
        }
        if (!here.pending) return false;
        here.pending = false;
        List<Membership> due = new ArrayList<>(here.members.size());
        Map<Membership, List<UUID>> affected = new HashMap<>(0);
        here.members.forEach((member, progress) -> {
            List<UUID> own = newUnstored(lost, progress.unstored, member.member.userId());
            if (progress.position >= here.told && own.isEmpty()) return;
            if (!member.isWelcomed()) {
                here.pending = true;
                return;
            }
            if (own.isEmpty()) due.add(member);
            else affected.put(member, own);
        });
        if (due.isEmpty() && affected.isEmpty()) return here.pending;
        room.flush(out); // members receive a message before its STORED
        ByteBuf frame = Frames.text(ServerFrames.stored(room.id(), here.told, List.of()));
        for (Membership member : due) send(member, here, frame.retainedDuplicate(), out);
        frame.release();
        affected.forEach((member, ids) -> {
            send(member, here, Frames.text(ServerFrames.stored(room.id(), here.told, ids)), out);
            counters.notStoredTold.add(ids.size());
        });
        return true;
    }

    private void send(Membership member, RoomState here, ByteBuf frame, FanOut out) {
        Progress progress = here.members.get(member);
        if (progress != null) {
            progress.position = here.told;
            progress.unstored = unstoredRead;
        }
        out.batch(member.subscriber.queue()).add(member, frame);
        counters.storedTold.increment();
    }
}
