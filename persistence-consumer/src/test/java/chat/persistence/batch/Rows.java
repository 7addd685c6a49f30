package chat.persistence.batch;

import chat.protocol.MessageType;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

/** Rows to try things with. */
final class Rows {
    private Rows() {}

    static MessageRow row(int number) {
        return new MessageRow(
                new UUID(0, number),
                "7",
                "42",
                "alice42",
                MessageType.TEXT,
                "hi",
                1_000 + number,
                number,
                "server-1",
                null,
                new byte[0]);
    }

    static List<MessageRow> rows(int from, int to) {
        return IntStream.range(from, to).mapToObj(Rows::row).toList();
    }

    static Mark mark(long offset) {
        return new Mark(offset * 2048 + 2047, 0, offset, 1, offset + 1);
    }

    static EntryRows entry(long offset, int from, int to) {
        return new EntryRows(rows(from, to), List.of(), mark(offset));
    }
}
