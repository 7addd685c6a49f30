package chat.persistence.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.log.InMemoryRoomLog;
import chat.persistence.Writer;
import chat.persistence.batch.Batch;
import chat.persistence.batch.BatchStore;
import chat.persistence.batch.Mark;
import chat.persistence.batch.StoreUnavailable;
import chat.persistence.batch.StoredMark;
import chat.persistence.batch.UnstoredMessage;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RefusedMessagesTest {
    /** Rejects every message and answers nothing after it has started. */
    private static final class RefusingStore implements BatchStore {
        final AtomicInteger refused = new AtomicInteger();
        final AtomicInteger again = new AtomicInteger();
        private volatile boolean begun;

        @Override
        public void prepare() {}

        @Override
        public Optional<StoredMark> position(int partition) {
            return Optional.empty();
        }

        @Override
        public List<UnstoredMessage> notStored(int partition, long after, int limit) throws StoreUnavailable {
            if (begun) throw new StoreUnavailable("no connection", new IllegalStateException());
            begun = true;
            return List.of();
        }

        @Override
        public Outcome write(Batch batch, @Nullable Mark previous, boolean tried) {
            if (tried) again.incrementAndGet();
            refused.addAndGet(batch.messages());
            return new Outcome.Stored(0, 0, batch.messages());
        }
    }

    @Test
    void batchWithRejectedMessagesIsWrittenOnce() throws Exception {
        RefusingStore store = new RefusingStore();
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        try (InMemoryRoomLog log = new InMemoryRoomLog(1, 64 << 20, Clock.systemUTC());
                Writer writer = new Writer(log, 0).awaitStarted()) {
            Ingest ingest = new Ingest(log, store, Consumer.SETTINGS, meters, Clock.systemUTC());
            ingest.start();
            try {
                for (int i = 0; i < 5; i++) writer.say("7", "refused " + i);
                int messages = writer.accepted().size();
                await().atMost(Duration.ofMinutes(1)).until(() -> store.refused.get() >= messages);
            } finally {
                ingest.stop();
            }
            assertThat(store.refused).hasValue(5);
            assertThat(store.again).hasValue(0);
        }
    }
}
