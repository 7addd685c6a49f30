package chat.server.room;

import chat.kit.tracing.Step;
import chat.kit.tracing.TracedMessage;
import chat.kit.tracing.Traces;
import chat.log.LogEntry;
import chat.log.Segment;
import chat.protocol.MessageType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Records the steps of traced messages in one partition. Confined to the partition's thread, except for {@link #take}'s
 * result.
 */
final class PartitionTraces {
    private final Traces traces;
    private final int partition;
    private final LongSupplier nanoTime;
    /** Messages that were read and not yet written to sockets. */
    private List<Read> reads = new ArrayList<>();

    private long published;
    private long confirmed;
    private long read;

    /** @param own times of the message's frame if this server received it; else null */
    private record Read(
            TracedMessage message,
            int members,
            long at,
            @Nullable Own own) {}

    private record Own(long takenInMillis, long published, long confirmed) {}

    /** @param nanoTime as {@link System#nanoTime} */
    PartitionTraces(Traces traces, int partition, LongSupplier nanoTime) {
        this.traces = traces;
        this.partition = partition;
        this.nanoTime = nanoTime;
    }

    /** Sets the times of the next entry, which is one of this server's. */
    void readBack(long publishedAt, long confirmedAt) {
        published = publishedAt;
        confirmed = confirmedAt;
    }

    /** Records that an entry was read; its messages follow. */
    void entry() {
        read = nanoTime.getAsLong();
    }

    /** @param own whether this server received the message from its client */
    void message(LogEntry entry, Segment segment, int i, int members, boolean own) {
        if (segment.type(i) != MessageType.TEXT) return;
        long high = segment.idHigh(i);
        long low = segment.idLow(i);
        if (!traces.includes(high, low)) return;
        long position = entry.position(segment.firstIndex() + i);
        TracedMessage message = new TracedMessage(
                high, low, entry.header().incarnation(), segment.room().value(), partition, position);
        reads.add(new Read(message, members, read, own ? new Own(segment.timestamp(i), published, confirmed) : null));
    }

    boolean isEmpty() {
        return reads.isEmpty();
    }

    /** Returns a step that any thread must run when the messages read so far have been written to sockets. */
    Runnable take() {
        List<Read> written = reads;
        reads = new ArrayList<>();
        return () -> {
            long now = nanoTime.getAsLong();
            for (Read one : written) tell(one, now);
        };
    }

    private void tell(Read one, long now) {
        Own own = one.own();
        if (own != null)
            traces.tell(new Step.Frame(
                    one.message(), own.takenInMillis(), own.published(), own.confirmed(), one.at(), now));
        if (one.members() > 0) traces.tell(new Step.Delivery(one.message(), one.members(), one.at(), now));
    }
}
