package chat.load.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import chat.protocol.RoomId;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class PlanTest {
    private static final Numbering NUMBERING = new Numbering(20, 50, 50);

    @Test
    void everyTextHasItsNumber() {
        Set<Integer> numbers = new HashSet<>();
        for (int room = 0; room < 20; room++)
            for (int user = 0; user < 50; user++)
                for (int sequence = 0; sequence < 50; sequence++) {
                    int inRoom = NUMBERING.inRoom(user, sequence);
                    assertThat(NUMBERING.userOf(inRoom)).isEqualTo(user);
                    assertThat(NUMBERING.sequenceOf(inRoom)).isEqualTo(sequence);
                    numbers.add(NUMBERING.global(room, inRoom));
                }
        assertThat(numbers).hasSize(NUMBERING.total()).allMatch(n -> n >= 0 && n < NUMBERING.total());
    }

    @Test
    void membersHaveDistinctUserIdsThatServersAccept() {
        Set<String> ids = new HashSet<>();
        for (int room = 0; room < 20; room++)
            for (int user = 0; user < 50; user++) ids.add(NUMBERING.userId(room, user));
        assertThat(ids).hasSize(1000);
        Numbering large = new Numbering(1000, 1000, 1);
        assertThat(Integer.parseInt(large.userId(999, 999))).isBetween(1, 100_000);
    }

    @Test
    void whatCannotBeNumberedIsRefused() {
        assertThatThrownBy(() -> new Numbering(100_000, 1000, 100)).hasMessageContaining("at most 1,000,000,000");
        assertThatThrownBy(() -> new Numbering(Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Numbering(0, 1, 1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void anIdIsAUuidOfVersion7ThatTellsItsNumber() {
        RunIds ids = RunIds.random(1_795_000_000_123L);
        for (int number : new int[] {0, 1, 4711, Integer.MAX_VALUE}) {
            UUID id = ids.id(number, 77);
            assertThat(id.version()).isEqualTo(7);
            assertThat(id.variant()).isEqualTo(2);
            assertThat(id.getMostSignificantBits() >>> 16).isEqualTo(1_795_000_000_200L);
            assertThat(ids.number(id.getMostSignificantBits(), id.getLeastSignificantBits()))
                    .isEqualTo(number);
        }
    }

    @Test
    void idsOfOthersHaveNoNumber() {
        RunIds ids = new RunIds(1_795_000_000_123L, 1);
        UUID otherLow = new RunIds(1_795_000_000_123L, 2).id(5, 0);
        UUID otherHigh = new RunIds(1_795_000_000_123L, 1L | (1L << 41)).id(5, 0);
        for (UUID id : new UUID[] {otherLow, otherHigh, UUID.randomUUID(), new UUID(0, 0)})
            assertThat(ids.number(id.getMostSignificantBits(), id.getLeastSignificantBits()))
                    .isEqualTo(-1);
    }

    @Test
    void roomNamesAreValidAndOfTheirRun() {
        RunIds one = new RunIds(1_795_000_000_123L, 7L << 30);
        RunIds other = new RunIds(1_795_000_000_123L, 8L << 30);
        assertThat(RoomId.isValid(one.roomName(19))).isTrue();
        assertThat(one.roomName(3)).endsWith("-3").isNotEqualTo(other.roomName(3));
    }

    @Test
    void placementSpreadsMembersOrKeepsRoomsTogether() {
        Set<Integer> spread = new HashSet<>();
        Set<Integer> together = new HashSet<>();
        for (int user = 0; user < 4; user++) {
            spread.add(Placement.SPREAD.first(1, user, 2));
            together.add(Placement.ROOM.first(1, user, 2));
        }
        assertThat(spread).containsExactlyInAnyOrder(0, 1);
        assertThat(together).containsExactly(1);
    }

    @Test
    void textsNameTheirPlaceAndHaveTheAskedLength() {
        Texts texts = new Texts(NUMBERING, 100, 1);
        for (int n = 0; n < NUMBERING.perRoom(); n++)
            assertThat(texts.text(3, n))
                    .hasSize(100)
                    .startsWith("room 3 from user")
                    .matches("[a-z0-9 ]+");
        assertThat(texts.text(3, 52)).startsWith("room 3 from user152 no 2 ");
        assertThat(texts.text(3, 52)).isEqualTo(new Texts(NUMBERING, 100, 1).text(3, 52));
        assertThat(new Texts(NUMBERING, 1, 1).text(3, 52)).isEqualTo("room 3 from user152 no 2");
        assertThat(new Texts(NUMBERING, 500, 1).text(3, 511)).hasSize(500);
    }

    @Test
    void aPlanRefusesNonsense() {
        assertThatThrownBy(() -> plan(501, Duration.ofSeconds(1))).hasMessageContaining("payload");
        assertThatThrownBy(() -> plan(100, Duration.ZERO)).hasMessageContaining("timeout");
    }

    private static Plan plan(int payload, Duration timeout) {
        return new Plan(
                "fanout",
                NUMBERING,
                1,
                payload,
                new Pacing.Window(1),
                Arrivals.Ramp.DEFAULT,
                Guests.NONE,
                0,
                5,
                null,
                null,
                Placement.SPREAD,
                1,
                timeout);
    }
}
