package chat.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LingerTest {
    private static final long NANOS = 1_000_000;

    private final QueueingDelay queueing = new QueueingDelay(2 * NANOS, 0);
    private final Linger linger = new Linger(NANOS, queueing, 0);

    @Test
    void smallEntriesDoNotLinger() {
        for (int i = 0; i < 10; i++) {
            assertThat(linger.left(i)).isNotPositive();
            linger.published(3, i);
        }
    }

    @Test
    void entriesLingerUnderLoad() {
        linger.published(4, 100);
        assertThat(linger.left(100)).isEqualTo(NANOS);
        assertThat(linger.left(100 + NANOS)).isNotPositive();
    }

    @Test
    void lingerFollowsTheNumberOfWriters() {
        alternate(3, 100);
        linger.published(4, 0);
        assertThat(linger.left(0)).isBetween(NANOS * 2, NANOS * 3);

        alternate(0, 100);
        linger.published(4, 0);
        assertThat(linger.left(0)).isBetween(NANOS, NANOS * 11 / 10);
    }

    @Test
    void frequentWriterCountsOnce() {
        for (int i = 0; i < 100; i++) {
            for (int entry = 0; entry < 5; entry++) linger.readFromOther(7, 0);
            linger.published(4, 0);
        }
        assertThat(linger.left(0)).isBetween(NANOS * 5 / 3 - 2, NANOS * 5 / 3);
    }

    @Test
    void lingerIsLimited() {
        alternate(1000, 100);
        linger.published(4, 0);
        assertThat(linger.left(0)).isLessThanOrEqualTo(NANOS * 17 / 3);
    }

    @Test
    void lingerGrowsByTwiceTheQueueingDelay() {
        entriesWaitFor(NANOS * 4 / 10);
        linger.published(4, 0);
        assertThat(linger.left(0)).isBetween(NANOS * 17 / 10, NANOS * 18 / 10);
    }

    @Test
    void lingerOfFourServersGrowsByFourTimesTheQueueingDelay() {
        alternate(3, 100);
        long idle = linger.left(0);
        entriesWaitFor(NANOS * 4 / 10);
        alternate(3, 1);
        assertThat(linger.left(0) - idle).isBetween(NANOS * 15 / 10, NANOS * 16 / 10);
    }

    @Test
    void smallEntriesDoNotLingerOnASlowLog() {
        queueing.took(1, 0);
        queueing.took(10 * NANOS, 0);
        linger.published(3, 0);
        assertThat(linger.left(0)).isNotPositive();
    }

    @Test
    void entryOfAnotherServerEndsMostOfALinger() {
        long most = NANOS * 5 / 8;
        linger.published(4, 0);
        assertThat(linger.readFromOther(1, most - 1)).isFalse();
        assertThat(linger.left(most - 1)).isPositive();

        assertThat(linger.readFromOther(1, most)).isTrue();
        assertThat(linger.left(most)).isNotPositive();
        assertThat(linger.readFromOther(1, most)).as("the linger has ended").isFalse();
    }

    @Test
    void alternatingServersSynchronise() {
        int servers = 4;
        int rounds = 50;
        long latency = NANOS / 20;
        Random jitter = new Random(1);
        Linger[] lingers = new Linger[servers];
        long[] due = new long[servers];
        for (int i = 0; i < servers; i++) {
            lingers[i] = new Linger(NANOS, new QueueingDelay(2 * NANOS, 0), 0);
            due[i] = i * NANOS / servers;
        }
        List<Long> written = new ArrayList<>();
        while (written.size() < servers * rounds) {
            int next = 0;
            for (int i = 1; i < servers; i++) if (due[i] < due[next]) next = i;
            long now = due[next];
            written.add(now);
            lingers[next].published(100, now);
            due[next] = now + lingers[next].left(now) + jitter.nextLong(latency);
            for (int i = 0; i < servers; i++)
                if (i != next && lingers[i].readFromOther(next, now + latency)) due[i] = now + latency;
        }
        int settled = written.size() / 2;
        long pauses = IntStream.range(settled, written.size())
                .filter(i -> written.get(i) - written.get(i - 1) > 2 * latency)
                .count();
        assertThat(pauses).isEqualTo(rounds / 2);
    }

    private void entriesWaitFor(long nanos) {
        queueing.took(NANOS / 10, 0);
        for (int i = 0; i < 100; i++) queueing.took(NANOS / 10 + nanos, 0);
    }

    private void alternate(int others, int times) {
        for (int i = 0; i < times; i++) {
            for (int other = 0; other < others; other++) linger.readFromOther(other, 0);
            linger.published(4, 0);
        }
    }
}
