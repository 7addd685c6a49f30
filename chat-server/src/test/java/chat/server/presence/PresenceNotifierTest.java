package chat.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import chat.protocol.Member;
import chat.protocol.RoomId;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

class PresenceNotifierTest {
    private static final RoomId ROOM = new RoomId("room");

    @Test
    void beyondAThousandNamesOnlyTheCountIsSent() {
        PresenceSettings settings =
                new PresenceSettings(1000, 1000, Duration.ofSeconds(1), 10_000, Duration.ofMillis(500), 10);
        LongAdder leftOut = new LongAdder();
        PresenceIndex index = new PresenceIndex(10_000, new LongAdder());
        PresenceNotifier notifier = new PresenceNotifier(settings, index, room -> true, leftOut);
        for (int user = 1; user <= 1003; user++) notifier.joined(ROOM, new Member("" + user, "user" + user), 0);
        assertThat(leftOut.sum()).isEqualTo(3);
        PresenceUpdate update = notifier.take(0).getFirst();
        assertThat(update.joined()).hasSize(1000);
        assertThat(update.more()).isTrue();
    }
}
