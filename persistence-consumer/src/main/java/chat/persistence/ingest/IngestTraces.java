package chat.persistence.ingest;

import chat.kit.tracing.Step;
import chat.kit.tracing.TracedMessage;
import chat.kit.tracing.Traces;
import chat.log.LogEntry;
import chat.log.Segment;
import chat.persistence.batch.Batch;
import chat.persistence.batch.MessageRow;
import chat.protocol.MessageType;
import java.util.HashMap;
import java.util.Map;

/** Records the spans of one partition's traced messages that become rows. Confined to the partition's thread. */
final class IngestTraces {
    private final Traces traces;
    private final int partition;
    /** By position; never more than the batcher holds. */
    private final Map<Long, Read> reads = new HashMap<>();

    private record Read(TracedMessage message, long at) {}

    IngestTraces(Traces traces, int partition) {
        this.traces = traces;
        this.partition = partition;
    }

    void read(LogEntry entry) {
        long now = System.nanoTime();
        for (Segment segment : entry.segments())
            for (int i = 0; i < segment.size(); i++)
                if (segment.type(i) == MessageType.TEXT && traces.includes(segment.idHigh(i), segment.idLow(i)))
                    read(entry, segment, i, now);
    }

    private void read(LogEntry entry, Segment segment, int i, long now) {
        long position = entry.position(segment.firstIndex() + i);
        TracedMessage message = new TracedMessage(
                segment.idHigh(i),
                segment.idLow(i),
                entry.header().incarnation(),
                segment.room().value(),
                partition,
                position);
        reads.put(position, new Read(message, now));
    }

    /** @param begun when the attempt that committed it began */
    void written(Batch batch, long begun) {
        if (reads.isEmpty()) return;
        long now = System.nanoTime();
        for (MessageRow row : batch.rows()) {
            Read read = reads.remove(row.position());
            if (read != null) traces.tell(new Step.Row(read.message(), batch.messages(), read.at(), begun, now));
        }
        // The remaining ones became dead letters.
        if (batch.end() != null) {
            long end = batch.end().position();
            reads.keySet().removeIf(position -> position <= end);
        }
    }

    /** Forgets messages that were read but not written: they are read again. */
    void clear() {
        reads.clear();
    }
}
