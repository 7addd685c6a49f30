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
 * Flushes the rooms of one partition that have queued messages or acknowledgements, together and after the delay of
 * {@link FrameCoalescer}. Confined to the partition's thread.
 */
final class FlushSchedule {
    private final RoomTable rooms;
    private final ScheduledExecutorService loop;
    private final LongSupplier nanoTime;
    private final FrameCoalescer coalescer;
    /** Null if tracing is off. */
    private final @Nullable PartitionTraces traces;
    /** Rooms with queued messages or acknowledgements. */
    private final Set<Room> unflushed = new LinkedHashSet<>();
    /** The scheduled flush; null if none is due. */
    private @Nullable Future<?> flushing;
    /** Whether the scheduled flush waits for entries of other servers. */
    private boolean awaitingOthers;

    /**
     * @param rooms abandons a room whose flush fails
     * @param loop of the partition
     * @param nanoTime as {@link System#nanoTime}
     */
    FlushSchedule(
            RoomTable rooms,
            ScheduledExecutorService loop,
            LongSupplier nanoTime,
            FrameCoalescer coalescer,
            @Nullable PartitionTraces traces) {
        this.rooms = rooms;
        this.loop = loop;
        this.nanoTime = nanoTime;
        this.coalescer = coalescer;
        this.traces = traces;
    }

    /**
     * Queues messages and acknowledgements of a room for the next flush. A server without members of the room needs no
     * flush.
     *
     * @return whether the room waits for a flush, which {@link #schedule} must schedule
     */
    boolean queue(Room room, List<RecentMessage> messages, Map<Membership, List<Membership.Ack>> acks) {
        if (acks.isEmpty() && (messages.isEmpty() || room.liveMembers() == 0)) return false;
        room.queue(messages, acks);
        unflushed.add(room);
        coalescer.add(messages.size());
        return true;
    }

    /** Records that rooms wait with messages of this server incarnation. */
    void read(long incarnation) {
        coalescer.read(incarnation);
    }

    /**
     * Schedules a flush, if a room waits for it, behind the entries that have been read already.
     *
     * @param queueingNanos the current queueing delay of this server's entries
     */
    void schedule(long queueingNanos) {
        if (unflushed.isEmpty() && (traces == null || traces.isEmpty())) return;
        boolean allHeard = coalescer.isEveryWriterHeard();
        if (flushing != null) {
            if (!awaitingOthers || !allHeard) return; // else no entry is awaited any more: flush earlier
            flushing.cancel(false);
        }
        long left = coalescer.left(nanoTime.getAsLong(), queueingNanos);
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
                rooms.abandon(room, failure);
            }
        }
        unflushed.clear();
        if (traces != null && !traces.isEmpty()) out.whenWritten(traces.take());
        out.submit();
    }
}
