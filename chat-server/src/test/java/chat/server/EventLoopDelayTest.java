package chat.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

class EventLoopDelayTest {
    private final Queue<Runnable> scheduled = new ArrayDeque<>();
    private final List<Duration> told = new ArrayList<>();
    private Duration now = Duration.ZERO;
    private Duration period = Duration.ZERO;

    private final EventLoopDelay delay = new EventLoopDelay(this::schedule, () -> now.toNanos(), nanos -> {
        told.add(Duration.ofNanos(nanos));
    });

    private void schedule(Runnable step, long nanos) {
        scheduled.add(step);
        period = Duration.ofNanos(nanos);
    }

    private void runAfter(Duration later) {
        now = now.plus(later);
        scheduled.remove().run();
    }

    @Test
    void aLoopInTimeHasNoDelay() {
        delay.start();
        runAfter(period);
        runAfter(period);
        assertThat(told).containsExactly(Duration.ZERO, Duration.ZERO);
    }

    @Test
    void aLoopThatWasHeldUpIsToldWithHowLongAndIsInTimeAgainAfterwards() {
        delay.start();
        runAfter(period.plusMillis(700));
        runAfter(period);
        assertThat(told).containsExactly(Duration.ofMillis(700), Duration.ZERO);
    }

    @Test
    void oneStepIsUnderWayAtATime() {
        delay.start();
        for (int i = 0; i < 10; i++) runAfter(period);
        assertThat(scheduled).hasSize(1);
    }
}
