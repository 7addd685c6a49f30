package chat.server.room;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Flushes the rooms of one partition that have queued messages or acknowledgements, together. Under load, flushes have a
 * minimum interval, so that one frame carries the messages of several entries: the cost of a frame to every member
 * exceeds that of its content. Confined to the partition's thread.
 */
final class FlushSchedule {
    private final RoomTable rooms;
    private final ScheduledExecutorService loop;
    private final LongSupplier nanoTime;
    /** Null if tracing is off. */
    private final @Nullable PartitionTraces traces;
    /** Rooms with queued messages or acknowledgements. */
    private final Set<Room> unflushed = new LinkedHashSet<>();
    /** The scheduled flush; null if none is due. */
    private @Nullable Future<?> flushing;

    private long flushedNanos;

    /**
     * @param rooms abandons a room whose flush fails
     * @param loop of the partition
     * @param nanoTime as {@link System#nanoTime}
     */
    FlushSchedule(
            RoomTable rooms, ScheduledExecutorService loop, LongSupplier nanoTime, @Nullable PartitionTraces traces) {
        this.rooms = rooms;
        this.loop = loop;
        this.nanoTime = nanoTime;
        this.flushedNanos = nanoTime.getAsLong();
        this.traces = traces;
    }

    /**
     * Queues messages and acknowledgements of a room for the next flush. A server without members of the room needs no
     * flush. Call {@link #schedule} afterwards.
     */
    void queue(Room room, List<RecentMessage> messages, Map<Membership, List<Membership.Ack>> acks) {
        if (acks.isEmpty() && (messages.isEmpty() || room.liveMembers() == 0)) return;
        room.queue(messages, acks);
        unflushed.add(room);
    }

    /**
     * Schedules a flush, if a room waits for it, behind the entries that have been read already.
     *
     * @param intervalNanos minimum interval since the last flush
     */
    void schedule(long intervalNanos) {
        if (flushing != null || (unflushed.isEmpty() && (traces == null || traces.isEmpty()))) return;
        long left = flushedNanos + intervalNanos - nanoTime.getAsLong();
        try {
            flushing = left > 0 ? loop.schedule(this::flush, left, TimeUnit.NANOSECONDS) : loop.submit(this::flush);
        } catch (RejectedExecutionException stopping) {
            // The partition is closed: no members are left.
        }
    }

    private void flush() {
        flushing = null;
        flushedNanos = nanoTime.getAsLong();
        FanOut out = new FanOut();
        for (Room room : unflushed) {
            try {
                room.flush(out);
            } catch (RuntimeException | Error failure) {
                rooms.abandon(room, failure);
            }
        }
        unflushed.clear();
        if (traces != null && !traces.isEmpty()) out.whenWritten(traces.take());
        out.submit();
    }
}
