package chat.persistence.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import chat.kit.tracing.Step;
import chat.kit.tracing.TracedMessage;
import chat.kit.tracing.Traces;
import chat.log.EntryBuilder;
import chat.log.EntryHeader;
import chat.log.EntryKind;
import chat.log.LogEntry;
import chat.log.OutgoingMessage;
import chat.persistence.batch.Batch;
import chat.persistence.batch.EntryRows;
import chat.protocol.ChatMessage;
import chat.protocol.Member;
import chat.protocol.MessageJson;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class IngestTracesTest {
    private static final RoomId ROOM = new RoomId("lobby");
    private static final Member ANNA = new Member("1", "anna");
    private static final UUID TRACED = UUID.fromString("0196f3c5-7a10-7000-8000-000000000001");
    private static final UUID OTHER = UUID.fromString("0196f3c5-7a10-7000-8000-000000000002");

    private final List<Step> steps = new ArrayList<>();
    private final IngestTraces traces = new IngestTraces(
            new Traces() {
                @Override
                public boolean includes(long idHigh, long idLow) {
                    return idLow == TRACED.getLeastSignificantBits();
                }

                @Override
                public void tell(Step step) {
                    steps.add(step);
                }
            },
            3);

    private static LogEntry entry(long offset, MessageType type, UUID... ids) {
        EntryBuilder<UUID> builder = new EntryBuilder<>(1 << 16, 100);
        for (UUID id : ids) {
            String text = type == MessageType.TEXT ? "hi" : null;
            byte[] json = MessageJson.encode(new ChatMessage(id, ANNA, type, text, 1_000));
            builder.add(new OutgoingMessage(ROOM, id, type, ANNA.userId(), 1_000, new byte[0], json), id);
        }
        byte[] bytes = builder.encode(new EntryHeader(EntryKind.MESSAGES, 99, 0, 7, offset, "server-1"));
        return LogEntry.parse(bytes, 99, offset);
    }

    private static Batch batch(LogEntry entry) {
        EntryRows rows = EntryDecoder.decode(entry);
        return new Batch(3, rows.rows(), rows.deadLetters(), List.of(), rows.mark(), Batch.Cause.SIZE, false);
    }

    @Test
    void committedRowIsTracedUnderTheServersMessage() {
        LogEntry entry = entry(5, MessageType.TEXT, OTHER, TRACED);
        traces.read(entry);
        assertThat(steps).isEmpty();
        long begun = System.nanoTime();
        traces.written(batch(entry), begun);
        assertThat(steps).singleElement().isInstanceOfSatisfying(Step.Row.class, row -> {
            assertThat(row.message())
                    .isEqualTo(new TracedMessage(
                            TRACED.getMostSignificantBits(),
                            TRACED.getLeastSignificantBits(),
                            7,
                            "lobby",
                            3,
                            entry.position(1)));
            assertThat(row.batch()).isEqualTo(2);
            assertThat(row.read()).isLessThanOrEqualTo(row.begun());
            assertThat(row.begun()).isLessThanOrEqualTo(row.committed());
        });
    }

    @Test
    void deferredRowIsTracedWithItsBatch() {
        LogEntry first = entry(5, MessageType.TEXT, OTHER);
        LogEntry second = entry(6, MessageType.TEXT, TRACED);
        traces.read(first);
        traces.read(second);
        traces.written(batch(first), System.nanoTime());
        assertThat(steps).isEmpty();
        traces.written(batch(second), System.nanoTime());
        assertThat(steps).hasSize(1);
    }

    @Test
    void joinsAndLeavesAreNotTraced() {
        LogEntry entry = entry(5, MessageType.JOIN, TRACED);
        traces.read(entry);
        traces.written(batch(entry), System.nanoTime());
        assertThat(steps).isEmpty();
    }

    @Test
    void rereadRowIsTracedOnce() {
        LogEntry entry = entry(5, MessageType.TEXT, TRACED);
        traces.read(entry);
        traces.clear();
        traces.read(entry);
        traces.written(batch(entry), System.nanoTime());
        traces.written(batch(entry), System.nanoTime());
        assertThat(steps).hasSize(1);
    }
}
