package chat.load.driver;

import static org.assertj.core.api.Assertions.assertThat;

import chat.load.plan.Numbering;
import chat.load.plan.RunIds;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class RoomIdsTest {
    private static final RunIds RUN = new RunIds(1_000, 7);
    private static final UUID OF_ANOTHER_RUN = new RunIds(1_000, 8).id(3, 0);
    private static final UUID NEVER_SENT = RUN.id(3, 0);

    @Test
    void idsOfOthersAreExpectedOnlyInSharedRooms() {
        assertThat(mayBeOthers(OF_ANOTHER_RUN, true)).isTrue();
        assertThat(mayBeOthers(UUID.randomUUID(), true)).isTrue();
        assertThat(mayBeOthers(OF_ANOTHER_RUN, false)).isFalse();
    }

    @Test
    void idWithTheMarkOfTheRunIsNeverOfOthers() {
        assertThat(mayBeOthers(NEVER_SENT, true)).isFalse();
        assertThat(mayBeOthers(NEVER_SENT, false)).isFalse();
    }

    private static boolean mayBeOthers(UUID id, boolean shared) {
        RoomIds ids = new RoomIds(RUN, new Numbering(1, 1, 10), 0, shared);
        assertThat(ids.number(id.getMostSignificantBits(), id.getLeastSignificantBits()))
                .isEqualTo(-1);
        return ids.mayBeOthers(id.getMostSignificantBits(), id.getLeastSignificantBits());
    }
}
