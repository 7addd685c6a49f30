package chat.server.intake;

import static org.assertj.core.api.Assertions.assertThat;

import chat.server.room.SteppedClock;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class MessageIdsTest {
    private static final Instant NOW = Instant.parse("2026-11-20T10:00:00.123Z");

    @Test
    void idsAreOfVersion7AndBeginWithTheTime() {
        UUID id = new MessageIds(Clock.fixed(NOW, ZoneOffset.UTC)).get();
        assertThat(id.version()).isEqualTo(7);
        assertThat(id.variant()).isEqualTo(2);
        assertThat(id.getMostSignificantBits() >>> 16).isEqualTo(NOW.toEpochMilli());
    }

    @Test
    void idsOfOneMillisecondAreDistinct() {
        MessageIds ids = new MessageIds(Clock.fixed(NOW, ZoneOffset.UTC));
        Set<UUID> made = new HashSet<>();
        for (int i = 0; i < 100_000; i++) made.add(ids.get());
        assertThat(made).hasSize(100_000);
    }

    @Test
    void idsStayDistinctWhenTheClockIsSetBack() {
        SteppedClock clock = new SteppedClock();
        MessageIds ids = new MessageIds(clock);
        Set<UUID> made = new HashSet<>();
        for (int hours : new int[] {-1, 1, -1, 1}) {
            for (int milli = 0; milli < 500; milli++) {
                for (int i = 0; i < 100; i++) {
                    UUID id = ids.get();
                    assertThat(id.getMostSignificantBits() >>> 16).isEqualTo(clock.millis());
                    made.add(id);
                }
                clock.step(Duration.ofMillis(1));
            }
            clock.turn(Duration.ofHours(hours).minusMillis(500));
        }
        assertThat(made).hasSize(4 * 500 * 100);
    }
}
