package chat.management.logging;

import static org.assertj.core.api.Assertions.assertThat;

import chat.admission.Rate;
import chat.management.logging.RepeatedLines.LeftOut;
import io.github.bucket4j.TimeMeter;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RepeatedLinesTest {
    private static final Rate RATE = new Rate(1, 3);

    private final Stepped clock = new Stepped();
    private final RepeatedLines lines = new RepeatedLines(RATE, 50, clock);

    @Test
    void aLineIsWrittenSomeTimesAndThenOnceASecond() {
        assertThat(written(10)).isEqualTo(3);
        clock.step(Duration.ofSeconds(2));
        assertThat(written(10)).isEqualTo(2);
    }

    @Test
    void anotherLineIsNotHeldBackByOneThatComesTooOften() {
        written(10);
        assertThat(lines.admits("chat.Other", "no connection to {}")).isTrue();
        assertThat(lines.admits("chat.Link", "connected to {}")).isTrue();
    }

    @Test
    void whatWasLeftOutIsToldOnceTheMostFrequentFirst() {
        written(5);
        for (int i = 0; i < 10; i++)
            assertThat(lines.admits("chat.Other", "failed\n{}") || i >= 3).isTrue();
        assertThat(lines.takeLeftOut())
                .containsExactly(
                        new LeftOut("chat.Other", "failed {}", 7), new LeftOut("chat.Link", "no connection to {}", 2));
        assertThat(lines.takeLeftOut()).isEmpty();
        assertThat(lines.total()).isEqualTo(9);
    }

    @Test
    void linesThatAreAllDifferentFillNeitherTheLogNorTheMemory() {
        int admitted = 0;
        for (int i = 0; i < 100_000; i++) if (lines.admits("lib.Http", "bad request " + i)) admitted++;
        assertThat(admitted).isLessThan(1_000);
        assertThat(lines.takeLeftOut()).hasSizeLessThan(110);
    }

    @Test
    void withoutALimitEverythingIsWritten() {
        RepeatedLines all = new RepeatedLines(new Rate(0, 1), 50, clock);
        for (int i = 0; i < 100; i++)
            assertThat(all.admits("chat.Link", "same")).isTrue();
        assertThat(all.takeLeftOut()).isEmpty();
    }

    private int written(int times) {
        int written = 0;
        for (int i = 0; i < times; i++) if (lines.admits("chat.Link", "no connection to {}")) written++;
        return written;
    }

    private static final class Stepped implements TimeMeter {
        private long nanos;

        void step(Duration by) {
            nanos += by.toNanos();
        }

        @Override
        public long currentTimeNanos() {
            return nanos;
        }

        @Override
        public boolean isWallClockBased() {
            return false;
        }
    }
}
