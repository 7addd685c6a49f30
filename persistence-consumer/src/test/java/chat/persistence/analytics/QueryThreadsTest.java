package chat.persistence.analytics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class QueryThreadsTest {
    private static final int WAITING = 256;

    private final QueryThreads threads = QueryThreads.of(3);
    private final CountDownLatch slow = new CountDownLatch(1);

    @AfterEach
    void close() {
        slow.countDown();
        threads.close();
    }

    private void askSlowly() {
        threads.others().schedule(() -> {
            try {
                slow.await();
            } catch (InterruptedException closed) {
                Thread.currentThread().interrupt();
            }
        });
    }

    @Test
    void queueOfQueriesIsBounded() throws Exception {
        for (int i = 0; i < 2 + WAITING; i++) askSlowly();
        assertThatThrownBy(this::askSlowly).isInstanceOf(RejectedExecutionException.class);
        assertThat(threads.refused().sum()).isEqualTo(1);
        CountDownLatch history = new CountDownLatch(1);
        threads.history().schedule(history::countDown);
        assertThat(history.await(10, TimeUnit.SECONDS))
                .as("the history has threads of its own")
                .isTrue();
    }

    @Test
    void nothingWaitsBehindASlowQuestionWhileAnotherThreadIsFree() throws Exception {
        askSlowly();
        CountDownLatch quick = new CountDownLatch(100);
        for (int i = 0; i < 100; i++) threads.others().schedule(quick::countDown);
        assertThat(quick.await(10, TimeUnit.SECONDS)).isTrue();
    }
}
