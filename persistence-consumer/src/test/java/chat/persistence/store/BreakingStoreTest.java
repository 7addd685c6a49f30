package chat.persistence.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import chat.persistence.batch.Batch;
import chat.persistence.batch.BatchStore;
import chat.persistence.batch.Mark;
import chat.persistence.batch.StoreUnavailable;
import chat.persistence.batch.StoredMark;
import chat.persistence.batch.UnstoredMessage;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BreakingStoreTest {
    private static final Duration OPEN_TIME = Duration.ofSeconds(2).plusNanos(1);

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Moody moody = new Moody();
    private long nanos;
    private final BreakingStore store = new BreakingStore(moody, 3, Duration.ofSeconds(2), meters, () -> nanos);

    /** Succeeds or fails, as the test sets it. */
    private static final class Moody implements BatchStore {
        @Nullable
        String failure;

        boolean bug;
        int asked;

        @Override
        public void prepare() throws StoreUnavailable {
            asked++;
            if (bug) throw new IllegalStateException("a bug");
            if (failure != null) throw new StoreUnavailable(failure, new IllegalStateException());
        }

        @Override
        public Optional<StoredMark> position(int partition) throws StoreUnavailable {
            prepare();
            return Optional.empty();
        }

        @Override
        public List<UnstoredMessage> notStored(int partition, long after, int limit) throws StoreUnavailable {
            return List.of();
        }

        @Override
        public Outcome write(Batch batch, @Nullable Mark previous, boolean again) throws StoreUnavailable {
            prepare();
            return new Outcome.Fenced();
        }
    }

    private void fail(int times) {
        for (int i = 0; i < times; i++)
            assertThatThrownBy(() -> store.position(0))
                    .isInstanceOf(StoreUnavailable.class)
                    .hasMessage(moody.failure);
    }

    private void after(Duration time) {
        nanos += time.toNanos();
    }

    @Test
    void consecutiveFailuresOpenTheBreaker() {
        moody.failure = "gone";
        fail(3);
        assertThat(store.state()).isEqualTo(BreakingStore.State.OPEN);
        assertThat(moody.asked).isEqualTo(3);
        fail(10);
        assertThat(moody.asked).isEqualTo(3);
        assertThat(meters.get("persistence.breaker.opened").functionCounter().count())
                .isEqualTo(1);
        assertThat(meters.get("persistence.breaker.not.permitted")
                        .functionCounter()
                        .count())
                .isEqualTo(10);
        assertThat(meters.get("persistence.breaker")
                        .tag("state", "OPEN")
                        .gauge()
                        .value())
                .isEqualTo(1);
    }

    @Test
    void successBetweenFailuresKeepsItClosed() throws Exception {
        for (int i = 0; i < 10; i++) {
            moody.failure = "gone";
            fail(2);
            moody.failure = null;
            store.prepare();
        }
        assertThat(store.state()).isEqualTo(BreakingStore.State.CLOSED);
    }

    @Test
    void afterAWhileOneAttemptDecides() throws Exception {
        moody.failure = "gone";
        fail(3);
        after(Duration.ofSeconds(2));
        fail(1);
        assertThat(moody.asked).isEqualTo(3);
        after(Duration.ofNanos(1));
        fail(2);
        assertThat(moody.asked).isEqualTo(4);
        assertThat(store.state()).isEqualTo(BreakingStore.State.OPEN);
        after(OPEN_TIME);
        moody.failure = null;
        assertThat(store.position(0)).isEmpty();
        assertThat(store.state()).isEqualTo(BreakingStore.State.CLOSED);
    }

    @Test
    void bugDoesNotCountAsAFailure() throws Exception {
        moody.failure = "gone";
        fail(3);
        after(OPEN_TIME);
        moody.bug = true;
        assertThatThrownBy(store::prepare).isInstanceOf(IllegalStateException.class);
        moody.bug = false;
        moody.failure = null;
        store.prepare();
        assertThat(store.state()).isEqualTo(BreakingStore.State.CLOSED);
    }
}
