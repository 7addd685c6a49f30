package chat.load.lab.sample;

import static org.assertj.core.api.Assertions.assertThat;

import chat.load.report.Finding;
import chat.load.report.Samples;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class SamplerTest {
    private final Samples samples = new Samples();
    private final AtomicLong nanos = new AtomicLong();

    @Test
    void gaugesBelongToTheSecondThatHasEnded() {
        AtomicInteger asked = new AtomicInteger();
        Sampler sampler = sampler(probe(sink -> sink.gauge("x.value", asked.incrementAndGet())));
        for (int second = 0; second <= 3; second++) at(sampler, second);
        assertThat(samples.values("x.value")).containsExactly(2, 3, 4);
    }

    @Test
    void countersBecomeRatesOverTheTimeThatReallyPassed() {
        Total total = new Total(1_000);
        Sampler sampler = sampler(probe(sink -> sink.counter("x.events", total.value)));
        at(sampler, 0);
        total.value = 1_300;
        at(sampler, 1);
        total.value = 1_500;
        at(sampler, 3);
        assertThat(samples.values("x.events")).containsExactly(300, Double.NaN, 100);
    }

    @Test
    void aCounterThatBeginsAnewGivesNoValueAndNoNegativeOne() {
        Total total = new Total(1_000);
        AtomicLong life = new AtomicLong(1);
        Sampler sampler = sampler(probe(sink -> sink.counter("x.events", life.get(), total.value)));
        at(sampler, 0);
        total.value = 10;
        at(sampler, 1);
        total.value = 30;
        at(sampler, 2);
        life.set(2);
        total.value = 90;
        at(sampler, 3);
        total.value = 95;
        at(sampler, 4);
        assertThat(samples.values("x.events")).containsExactly(Double.NaN, 20, Double.NaN, 5);
    }

    @Test
    void quotientsAreOfWhatWasAdded() {
        Total count = new Total(10);
        Total sum = new Total(10_000);
        Sampler sampler = sampler(probe(sink -> sink.quotient("x.mean", 0, sum.value, count.value)));
        at(sampler, 0);
        count.value = 14;
        sum.value = 10_010;
        at(sampler, 1);
        at(sampler, 2);
        count.value = 15;
        at(sampler, 3);
        assertThat(samples.values("x.mean")).containsExactly(2.5, Double.NaN, 0);
    }

    @Test
    void aSlowerProbeIsAskedAsOftenAsItWants() {
        AtomicInteger asked = new AtomicInteger();
        Sampler sampler = sampler(new Probe() {
            @Override
            public String name() {
                return "slow";
            }

            @Override
            public int everySeconds() {
                return 5;
            }

            @Override
            public void sample(Sink sink) {
                asked.incrementAndGet();
            }
        });
        for (int second = 0; second <= 4; second++) at(sampler, second);
        assertThat(asked).hasValue(1);
        // The fifth second was missed: it is made good.
        at(sampler, 6);
        at(sampler, 9);
        assertThat(asked).hasValue(2);
        at(sampler, 10);
        assertThat(asked).hasValue(3);
    }

    @Test
    void aProbeThatFailsIsMentionedOnceAndCostsOnlyItself() {
        Sampler sampler = sampler(
                new NamedProbe("broken", sink -> {
                    throw new IOException("nobody there");
                }),
                probe(sink -> sink.gauge("x.value", 7)));
        for (int second = 0; second <= 3; second++) at(sampler, second);
        assertThat(samples.values("x.value")).containsExactly(7, 7, 7);
        assertThat(sampler.notes())
                .containsExactly(new Finding(
                        "sampling",
                        "broken: 4 of 4 samples failed, first after 0 s: nobody there",
                        Finding.Level.INFO));
    }

    @Test
    void repeatedNoteIsKeptOnce() {
        Sampler sampler = sampler(probe(sink -> sink.note("the same")));
        at(sampler, 0);
        at(sampler, 1);
        assertThat(sampler.notes()).extracting(Finding::text).containsExactly("the same");
    }

    @Test
    void aProbeThatBlocksIsInterruptedAtItsDeadlineAndHoldsNobodyUp() throws InterruptedException {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        CountDownLatch others = new CountDownLatch(1);
        NamedProbe blocking = new NamedProbe("stuck", sink -> {
            blocked.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException deadline) {
                interrupted.countDown();
                throw deadline;
            }
        });
        Sampler sampler = new Sampler(
                samples,
                nanos::get,
                List.of(blocking, probe(sink -> others.countDown())),
                List.of(),
                task -> Thread.ofVirtual().start(task));
        at(sampler, 0);
        assertThat(blocked.await(10, TimeUnit.SECONDS)).isTrue();
        at(sampler, 1);
        assertThat(others.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(interrupted.getCount()).isEqualTo(1);
        at(sampler, (int) Sampler.DEADLINE.toSeconds());
        assertThat(interrupted.await(10, TimeUnit.SECONDS)).isTrue();
        sampler.close();
        // On a busy machine the other one may be late once, too.
        assertThat(sampler.notes())
                .extracting(Finding::text)
                .filteredOn(text -> text.startsWith("stuck"))
                .containsExactly(
                        "stuck: 1 of 3 samples failed, first after 0 s: no answer in time",
                        "stuck: 2 of 3 samples are missing, since it took longer than 1 s to answer");
    }

    @Test
    void nothingIsWrittenAfterClose() throws InterruptedException {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch written = new CountDownLatch(1);
        Probe late = new NamedProbe("late", sink -> {
            asked.countDown();
            awaitWhateverComes(goOn);
            sink.gauge("x.value", 1);
            written.countDown();
        });
        Sampler sampler = new Sampler(
                samples,
                nanos::get,
                List.of(late),
                List.of(),
                task -> Thread.ofVirtual().start(task));
        at(sampler, 1);
        assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
        sampler.close();
        goOn.countDown();
        assertThat(written.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(samples.names()).isEmpty();
    }

    @Test
    void keepsTimeByItself() throws InterruptedException {
        long begin = System.nanoTime();
        CountDownLatch asked = new CountDownLatch(3);
        Probe probe = probe(sink -> {
            sink.gauge("x.value", 1);
            asked.countDown();
        });
        try (Sampler sampler = new Sampler(samples, () -> System.nanoTime() - begin, List.of(probe), List.of())) {
            sampler.start();
            assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(samples.values("x.value")[0]).isEqualTo(1);
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofSeconds(2));
    }

    private static void awaitWhateverComes(CountDownLatch latch) {
        boolean released = false;
        while (!released) {
            try {
                released = latch.await(10, TimeUnit.SECONDS);
            } catch (InterruptedException ignored) {
                // This probe does not care: the worst kind.
            }
        }
    }

    private Sampler sampler(Probe... probes) {
        return new Sampler(samples, nanos::get, List.of(probes), List.of(), Runnable::run);
    }

    private void at(Sampler sampler, int second) {
        nanos.set(TimeUnit.SECONDS.toNanos(second));
        sampler.tick(second);
    }

    private static Probe probe(Consumer<Sink> sample) {
        return new NamedProbe("probe", sample::accept);
    }

    private static final class Total {
        double value;

        Total(double value) {
            this.value = value;
        }
    }

    private interface Asking {
        void ask(Sink sink) throws Exception;
    }

    private record NamedProbe(String name, Asking asking) implements Probe {
        @Override
        public void sample(Sink sink) throws Exception {
            asking.ask(sink);
        }
    }
}
