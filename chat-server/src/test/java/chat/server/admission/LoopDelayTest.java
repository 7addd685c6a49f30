package chat.server.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LoopDelayTest {
    private static final long MILLI = 1_000_000;

    private final AtomicLong nanos = new AtomicLong(-5);
    private final Queue<Runnable> idle = new ArrayDeque<>();
    private final Queue<Runnable> busy = new ArrayDeque<>();
    private final List<Long> measured = new ArrayList<>();
    private final LoopDelay delay = new LoopDelay(List.of(idle::add, busy::add), nanos::get, measured::add);

    private static void runAll(Queue<Runnable> loop) {
        for (Runnable task = loop.poll(); task != null; task = loop.poll()) task.run();
    }

    private void probe(long busyMillis) {
        delay.probe();
        runAll(idle);
        nanos.addAndGet(busyMillis * MILLI);
        runAll(busy);
    }

    @Test
    void slowestLoopCountsWithItsShortestDelay() {
        probe(700);
        probe(30);
        probe(900);
        assertThat(delay.takeMillis()).isEqualTo(30);
        assertThat(measured).containsExactly(0L, 700 * MILLI, 0L, 30 * MILLI, 0L, 900 * MILLI);
    }

    @Test
    void eachLookBeginsAnew() {
        probe(700);
        assertThat(delay.takeMillis()).isEqualTo(700);
        probe(5);
        assertThat(delay.takeMillis()).isEqualTo(5);
        assertThat(delay.takeMillis()).isZero();
    }

    @Test
    void stuckLoopIsAsLateAsItsTaskIsOld() {
        delay.probe();
        runAll(idle);
        nanos.addAndGet(400 * MILLI);
        assertThat(delay.takeMillis()).isEqualTo(400);
        nanos.addAndGet(1000 * MILLI);
        assertThat(delay.takeMillis()).isEqualTo(1400);
        runAll(busy);
        assertThat(delay.takeMillis()).isEqualTo(1400);
    }

    @Test
    void lateLoopReceivesNoSecondTask() {
        for (int i = 0; i < 100; i++) delay.probe();
        assertThat(busy).hasSize(1);
    }

    @Test
    void loopsThatHaveEndedAreNoFailure() {
        LoopDelay ended = new LoopDelay(
                List.of(task -> {
                    throw new RejectedExecutionException();
                }),
                nanos::get,
                measured::add);
        ended.probe();
        ended.probe();
        assertThat(measured).isEmpty();
    }
}
