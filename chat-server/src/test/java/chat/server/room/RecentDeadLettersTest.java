package chat.server.room;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.NotStored;
import chat.protocol.RoomId;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class RecentDeadLettersTest {
    private static final RoomId ROOM = new RoomId("room");
    private static final RoomId OTHER = new RoomId("other");

    private final RecentDeadLetters letters = new RecentDeadLetters();

    private static UUID id(long position) {
        return new UUID(0, position);
    }

    private static NotStored letter(long position, RoomId room, String user) {
        return new NotStored(position, id(position), room, user);
    }

    @Test
    void knownDeadLetterIsIgnored() {
        assertThat(letters.newest(ROOM)).isZero();
        assertThat(letters.add(letter(7, ROOM, "1"))).isTrue();
        assertThat(letters.add(letter(7, ROOM, "1"))).isFalse();
        assertThat(letters.newest()).isEqualTo(1);
        assertThat(letters.after(0, ROOM, "1")).containsExactly(id(7));
    }

    @Test
    void userReceivesOnlyNewDeadLettersOfItsOwnInTheRoom() {
        letters.add(letter(1, ROOM, "1"));
        letters.add(letter(2, ROOM, "1"));
        letters.add(letter(3, ROOM, "2"));
        letters.add(letter(4, OTHER, "1"));
        letters.add(letter(5, ROOM, "1"));
        assertThat(letters.after(0, ROOM, "1")).containsExactly(id(5), id(2), id(1));
        assertThat(letters.after(1, ROOM, "1")).containsExactly(id(5), id(2));
        assertThat(letters.after(5, ROOM, "1")).isEmpty();
        assertThat(letters.newest(OTHER)).isEqualTo(4);
        assertThat(letters.newest(ROOM)).isEqualTo(5);
    }

    @Test
    void oldestDeadLettersAreDroppedBeyondTheBound() {
        letters.add(letter(0, OTHER, "1"));
        for (int position = 1; position <= 10_000; position++) letters.add(letter(position, ROOM, "1"));
        assertThat(letters.newest(OTHER)).isZero();
        assertThat(letters.after(0, ROOM, "1")).hasSize(10_000);
        letters.add(letter(10_001, ROOM, "1"));
        assertThat(letters.after(0, ROOM, "1")).hasSize(10_000).doesNotContain(id(1));
    }
}
