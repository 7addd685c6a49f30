package chat.persistence.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WriterLimitTest {
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();
    private final CountDownLatch goOn = new CountDownLatch(1);
    private boolean fails;

    private final BatchStore slow = new BatchStore() {
        @Override
        public void prepare() {}

        @Override
        public Optional<StoredMark> position(int partition) {
            return Optional.empty();
        }

        @Override
        public List<UnstoredMessage> notStored(int partition, long after, int limit) {
            return List.of();
        }

        @Override
        public Outcome write(Batch batch, @Nullable Mark previous, boolean again) throws StoreUnavailable {
            inside.incrementAndGet();
            try {
                goOn.await();
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
            done.incrementAndGet();
            if (fails) throw new StoreUnavailable("gone", new IllegalStateException());
            return new Outcome.Stored(0, 0, 0);
        }
    };

    private void writeFourAtOnce() {
        Batch batch = new Batch(0, List.of(), List.of(), List.of(), null, Batch.Cause.SIZE, false);
        WriterLimit few = new WriterLimit(slow, 2);
        try (ExecutorService partitions = Executors.newFixedThreadPool(4)) {
            for (int i = 0; i < 4; i++) {
                var unused = partitions.submit(() -> few.write(batch, null, false));
            }
            await().until(() -> inside.get() == 2);
            assertThat(done).hasValue(0);
            goOn.countDown();
        }
        assertThat(done).hasValue(4);
    }

    @Test
    void onlySoManyAreWrittenAtOnceAndTheOthersAfterThem() {
        writeFourAtOnce();
    }

    @Test
    void failingWriterReleasesItsPermit() {
        fails = true;
        writeFourAtOnce();
    }
}
