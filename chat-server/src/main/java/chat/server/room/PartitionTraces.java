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

/** What one partition tells of messages that are traced. On the partition's thread, but for what {@link #take} returns. */
final class PartitionTraces {
    private final Traces traces;
    private final int partition;
    private final LongSupplier nanoTime;
    /** Read, and not yet handed to sockets. */
    private List<Read> reads = new ArrayList<>();

    private long published;
    private long confirmed;
    private long read;

    /** @param own what is known of its frame, where it came in here; else null */
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

    /** Of the entry that is told next, one of this server's. */
    void readBack(long publishedAt, long confirmedAt) {
        published = publishedAt;
        confirmed = confirmedAt;
    }

    /** An entry follows, message by message. */
    void entry() {
        read = nanoTime.getAsLong();
    }

    /** @param own whether it came in through this server */
    void message(LogEntry entry, Segment segment, int i, int members, boolean own) {
        if (segment.type(i) != MessageType.TEXT) return;
        long high = segment.idHigh(i);
        long low = segment.idLow(i);
        if (!traces.includes(high, low)) return;
        long position = entry.position(segment.firstIndex() + i);
        TracedMessage message = new TracedMessage(
                high, low, entry.header().run(), segment.room().value(), partition, position);
        reads.add(new Read(message, members, read, own ? new Own(segment.timestamp(i), published, confirmed) : null));
    }

    boolean isEmpty() {
        return reads.isEmpty();
    }

    /** To be run, by any thread, when all that was read has been handed to sockets. */
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
