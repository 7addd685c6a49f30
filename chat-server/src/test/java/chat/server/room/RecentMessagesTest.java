package chat.server.room;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RecentMessagesTest {
    private static RecentMessage message(long position, int bytes) {
        return new RecentMessage(position, new byte[bytes]);
    }

    @Test
    void remembersTheLastAndKnowsFromWhereOnItHasAll() {
        RecentMessages recent = new RecentMessages(3, 1000, 5);
        assertThat(recent.coversAfter()).isEqualTo(5);
        for (int position = 10; position <= 13; position++) recent.add(message(position, 1));
        assertThat(recent.coversAfter()).isEqualTo(10);
        assertThat(recent.between(0, Long.MAX_VALUE))
                .extracting(RecentMessage::position)
                .containsExactly(11L, 12L, 13L);
        assertThat(recent.between(11, 12)).extracting(RecentMessage::position).containsExactly(12L);
        assertThat(recent.before(13, 5)).extracting(RecentMessage::position).containsExactly(11L, 12L);
        assertThat(recent.before(14, 2)).extracting(RecentMessage::position).containsExactly(12L, 13L);
        assertThat(recent.before(11, 2)).isEmpty();
    }

    @Test
    void knowsTheFirstAfterAPosition() {
        RecentMessages recent = new RecentMessages(3, 1000, 5);
        assertThat(recent.firstAfter(5)).isEqualTo(-1);
        assertThat(recent.firstAfter(3)).isEqualTo(4); // it may be forgotten
        for (int position = 10; position <= 16; position += 2) recent.add(message(position, 1));
        assertThat(recent.firstAfter(9)).isEqualTo(10);
        assertThat(recent.firstAfter(10)).isEqualTo(12);
        assertThat(recent.firstAfter(13)).isEqualTo(14);
        assertThat(recent.firstAfter(14)).isEqualTo(16);
        assertThat(recent.firstAfter(16)).isEqualTo(-1);
    }

    @Test
    void bytesAreBoundedExceptForTheNewestMessage() {
        RecentMessages recent = new RecentMessages(100, 1000, 0);
        assertThat(recent.add(message(1, 600))).isEqualTo(600);
        assertThat(recent.add(message(2, 600))).isZero();
        assertThat(recent.coversAfter()).isEqualTo(1);
        assertThat(recent.add(message(3, 5000))).isEqualTo(4400);
        assertThat(recent.between(0, 9)).extracting(RecentMessage::position).containsExactly(3L);
    }

    @Test
    void clearedMemoryCoversOnlyLaterMessages() {
        RecentMessages recent = new RecentMessages(100, 1000, 0);
        recent.add(message(1, 10));
        recent.add(message(2, 20));
        assertThat(recent.clear(7)).isEqualTo(30);
        assertThat(recent.coversAfter()).isEqualTo(7);
        assertThat(recent.clear(6)).isZero();
        assertThat(recent.coversAfter()).isEqualTo(7);
        assertThat(recent.add(message(8, 5))).isEqualTo(5);
    }
}
