package chat.server.intake;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
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
}
