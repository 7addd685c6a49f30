package chat.persistence.rollup;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * Encodes events as bytes, about six each, since times are written as differences. The first byte is the format. SQL
 * can write the plain format, with 16 bytes per event.
 */
public final class EventBytes {
    private static final byte PLAIN = 0;
    private static final byte COMPACT = 1;
    private static final int EXPECTED = 7;

    private EventBytes() {}

    /** Receives events in the order they were written. */
    @FunctionalInterface
    public interface Sink {
        void event(long millis, int room, int user);
    }

    /** @param events in any order; ascending times take the fewest bytes */
    public static byte[] of(List<Event> events) {
        Varints.Writer writer = new Varints.Writer(16 + events.size() * EXPECTED).raw(COMPACT);
        long previous = 0;
        for (Event event : events) {
            writer.signed(event.millis() - previous).number(event.room()).number(event.user());
            previous = event.millis();
        }
        return writer.bytes();
    }

    /** @throws IllegalArgumentException the bytes are not encoded events */
    public static void read(byte[] bytes, Sink sink) {
        if (bytes.length == 0) throw new IllegalArgumentException("the format byte is missing");
        switch (bytes[0]) {
            case PLAIN -> readPlain(bytes, sink);
            case COMPACT -> readCompact(bytes, sink);
            default -> throw new IllegalArgumentException("unknown event format " + bytes[0]);
        }
    }

    private static void readPlain(byte[] bytes, Sink sink) {
        if (bytes.length % 16 != 1)
            throw new IllegalArgumentException("plain events take 16 bytes each; the length is " + bytes.length);
        ByteBuffer buffer = ByteBuffer.wrap(bytes, 1, bytes.length - 1);
        while (buffer.hasRemaining()) sink.event(buffer.getLong(), buffer.getInt(), buffer.getInt());
    }

    private static void readCompact(byte[] bytes, Sink sink) {
        Varints.Reader reader = new Varints.Reader(bytes, 1);
        long millis = 0;
        while (reader.more()) {
            millis += reader.signed();
            sink.event(millis, (int) reader.number(), (int) reader.number());
        }
    }
}
