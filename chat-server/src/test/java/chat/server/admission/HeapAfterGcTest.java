package chat.server.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class HeapAfterGcTest {
    private final AtomicLong nanos = new AtomicLong();

    @Test
    void lastGcCountsWhileMemoryIsAllocated() {
        try (HeapAfterGc heap = new HeapAfterGc(nanos::get, 1000)) {
            assertThat(heap.share()).isZero();
            heap.collected(930);
            assertThat(heap.share()).isEqualTo(0.93);
            nanos.addAndGet(Duration.ofSeconds(30).toNanos());
            assertThat(heap.share()).isEqualTo(0.93);
            nanos.addAndGet(1);
            assertThat(heap.share()).isZero();
            heap.collected(400);
            assertThat(heap.share()).isEqualTo(0.4);
        }
    }

    @Test
    void gcEventsOfThisJvmAreReceived() {
        try (HeapAfterGc heap =
                new HeapAfterGc(System::nanoTime, Runtime.getRuntime().maxMemory()).listen()) {
            System.gc();
            Awaitility.await().until(() -> heap.share() > 0);
            assertThat(heap.share()).isLessThan(1);
        }
    }
}
