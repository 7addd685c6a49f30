package chat.log;

import static chat.log.Samples.message;
import static org.assertj.core.api.Assertions.assertThat;

import chat.log.LogPartition.Offer;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class WaitingMessagesTest {
    private static final LogSettings TWO_MESSAGES = new LogSettings(
            LogSettings.DEFAULT.unconfirmed(),
            LogSettings.DEFAULT.linger(),
            LogSettings.DEFAULT.maxEntryBytes(),
            2,
            LogSettings.DEFAULT.heartbeat(),
            LogSettings.DEFAULT.silence(),
            LogSettings.DEFAULT.overdue(),
            LogSettings.DEFAULT.memory(),
            LogSettings.DEFAULT.reconnect());

    private final LogCounters counters = new LogCounters();
    private long now;
    private int wakes;
    private int resumed;
    private final WaitingMessages<String> waiting =
            new WaitingMessages<>(TWO_MESSAGES, () -> now, counters, () -> wakes++);

    private Offer offer() {
        return waiting.offer(message("a", "x"), "x");
    }

    @Test
    void loopIsWokenOnceForEachEntry() {
        assertThat(offer()).isEqualTo(Offer.TAKEN);
        assertThat(offer()).isEqualTo(Offer.TAKEN);
        assertThat(wakes).isEqualTo(1);

        assertThat(waiting.take()).isNotNull();
        offer();
        assertThat(wakes).isEqualTo(2);
    }

    @Test
    void fullEntryRejectsMessagesUntilItIsTaken() {
        offer();
        offer();
        assertThat(waiting.isEmpty()).isFalse();
        assertThat(waiting.isFull()).as("no message was rejected yet").isFalse();
        assertThat(offer()).isEqualTo(Offer.FULL);
        assertThat(waiting.isFull()).isTrue();

        assertThat(Objects.requireNonNull(waiting.take()).messages()).isEqualTo(2);
        assertThat(waiting.isFull()).isFalse();
        assertThat(waiting.isEmpty()).isTrue();
        assertThat(waiting.take()).isNull();
        assertThat(offer()).isEqualTo(Offer.TAKEN);
    }

    @Test
    void waitingSenderIsResumedOnceAfterTheEntryIsTaken() {
        offer();
        waiting.whenRoom(() -> resumed++);
        assertThat(wakes).isEqualTo(2);
        waiting.resumeSenders();
        assertThat(resumed).isZero();

        waiting.take();
        offer(); // another sender is faster
        waiting.resumeSenders();
        assertThat(resumed).isEqualTo(1);
        waiting.take();
        waiting.resumeSenders();
        assertThat(resumed).isEqualTo(1);
    }

    @Test
    void waitingSenderIsResumedIfNothingIsQueuedOrOffersAreRejected() {
        waiting.whenRoom(() -> resumed++);
        waiting.resumeSenders();
        assertThat(resumed).isEqualTo(1);

        offer();
        waiting.whenRoom(() -> resumed++);
        waiting.setClosed(true);
        waiting.resumeSenders();
        assertThat(resumed).isEqualTo(2);
    }

    @Test
    void queuedMessagePreventsClosing() {
        offer();
        assertThat(waiting.closeIfEmpty()).isFalse();
        assertThat(waiting.isClosed()).isFalse();

        waiting.take();
        assertThat(waiting.closeIfEmpty()).isTrue();
        assertThat(waiting.isClosed()).isTrue();
        assertThat(offer()).isEqualTo(Offer.UNAVAILABLE);
        assertThat(counters.refused.sum()).isEqualTo(1);
    }

    @Test
    void waitIsThatOfTheOldestMessage() {
        now = 100;
        offer();
        now = 150;
        offer();
        assertThat(waiting.hasWaited(50)).isFalse();
        now = 151;
        assertThat(waiting.hasWaited(50)).isTrue();

        waiting.take();
        assertThat(waiting.hasWaited(50)).isFalse();
        offer();
        assertThat(waiting.hasWaited(0)).isFalse();
    }
}
