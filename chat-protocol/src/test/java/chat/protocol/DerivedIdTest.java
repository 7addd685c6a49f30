package chat.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DerivedIdTest {
    private static final UUID ID = UUID.fromString("0196f3c5-7a10-7abc-8def-000000000001");

    private static UUID of(UUID id, String room, String user, MessageType type, @Nullable String text, long timestamp) {
        return DerivedId.of(id, new RoomId(room), user, type, text, timestamp);
    }

    /** Servers and consumers of different versions may run at the same time. */
    @Test
    void derivedIdIsStableAcrossVersions() {
        assertThat(of(ID, "7", "42", MessageType.TEXT, "hi", 5)).hasToString("0196f3c5-7a10-8ffa-9dcf-71cb73af47fc");
    }

    @Test
    void derivedIdKeepsTheTimeAndHasTheReservedVersion() {
        UUID derived = of(ID, "7", "42", MessageType.TEXT, "hi", 5);
        assertThat(derived.toString()).startsWith("0196f3c5-7a10-8");
        assertThat(derived.variant()).isEqualTo(2);
        assertThat(DerivedId.isReserved(derived)).isTrue();
        assertThat(DerivedId.isReserved(ID)).isFalse();
    }

    @Test
    void derivedIdDependsOnEverythingExceptTheTimeOfAText() {
        Set<UUID> ids = new HashSet<>();
        assertThat(ids.add(of(ID, "7", "42", MessageType.TEXT, "hi", 5))).isTrue();
        assertThat(ids.add(of(ID, "7", "42", MessageType.TEXT, "hi", 6))).isFalse();
        assertThat(ids.add(of(ID, "7", "42", MessageType.TEXT, "ho", 5))).isTrue();
        assertThat(ids.add(of(ID, "74", "2", MessageType.TEXT, "hi", 5))).isTrue();
        assertThat(ids.add(of(ID, "7", "4", MessageType.TEXT, "2hi", 5))).isTrue();
        assertThat(ids.add(of(new UUID(ID.getMostSignificantBits(), 1), "7", "42", MessageType.TEXT, "hi", 5)))
                .isTrue();
        assertThat(ids.add(of(ID, "7", "42", MessageType.LEAVE, null, 5))).isTrue();
        assertThat(ids.add(of(ID, "7", "42", MessageType.LEAVE, null, 6))).isTrue();
        assertThat(ids.add(of(ID, "7", "42", MessageType.JOIN, null, 6))).isTrue();
    }

    @Test
    void withIdChangesOnlyTheIdOfTheJson() {
        ChatMessage message = new ChatMessage(
                ID, new Member("42", "alice42"), MessageType.TEXT, ",\"messageId\":\"x", 1_763_632_800_123L);
        UUID derived = DerivedId.of(new RoomId("7"), message);
        ChatMessage renamed = MessageJson.decode(MessageJson.withId(MessageJson.encode(message), derived));
        assertThat(renamed)
                .isEqualTo(new ChatMessage(
                        derived, message.member(), message.type(), message.text(), message.timestamp()));
    }
}
