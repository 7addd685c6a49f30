package chat.persistence.rollup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EventBytesTest {
    private static List<Event> read(byte[] bytes) {
        List<Event> events = new ArrayList<>();
        EventBytes.read(bytes, (millis, room, user) -> events.add(new Event(millis, room, user)));
        return events;
    }

    @Test
    void writtenEventsAreReadInOrder() {
        List<Event> events = List.of(
                new Event(1_763_632_800_123L, 1, 1),
                new Event(1_763_632_799_000L, Integer.MAX_VALUE, 100_000),
                new Event(0, 1, Integer.MAX_VALUE),
                new Event(-5, 127, 128));
        assertThat(read(EventBytes.of(events))).isEqualTo(events);
        assertThat(read(EventBytes.of(List.of()))).isEmpty();
    }

    @Test
    void neighboursInTimeTakeAboutSixBytes() {
        List<Event> events = IntStream.range(0, 1000)
                .mapToObj(i -> new Event(1_763_632_800_000L + i / 2, i % 20 + 1, i * 97 % 100_000 + 1))
                .toList();
        assertThat(EventBytes.of(events).length).isLessThan(6_000);
    }

    @Test
    void plainFormFromSqlIsRead() {
        byte[] plain = ByteBuffer.allocate(33)
                .put((byte) 0)
                .putLong(5)
                .putInt(6)
                .putInt(7)
                .putLong(8)
                .putInt(9)
                .putInt(10)
                .array();
        assertThat(read(plain)).containsExactly(new Event(5, 6, 7), new Event(8, 9, 10));
    }

    @Test
    void invalidBytesAreRejected() {
        assertThatThrownBy(() -> read(new byte[0])).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> read(new byte[] {9})).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> read(new byte[] {0, 1})).isInstanceOf(IllegalArgumentException.class);
    }
}
