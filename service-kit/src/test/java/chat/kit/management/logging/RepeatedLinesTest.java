package chat.kit.management.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import chat.kit.admission.Rate;
import chat.kit.management.logging.RepeatedLines.LeftOut;
import io.github.bucket4j.TimeMeter;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RepeatedLinesTest {
    private static final Rate RATE = new Rate(1, 3);
    private static final int WARN = Level.WARN_INT;

    private final Stepped clock = new Stepped();
    private final RepeatedLines lines = new RepeatedLines(RATE, 50, clock);

    @Test
    void repeatedLineIsLoggedInABurstThenOncePerSecond() {
        assertThat(written(10)).isEqualTo(3);
        clock.step(Duration.ofSeconds(2));
        assertThat(written(10)).isEqualTo(2);
    }

    @Test
    void frequentLineDoesNotDropOtherLines() {
        written(10);
        assertThat(lines.admits("chat.Other", WARN, "no connection to {}")).isTrue();
        assertThat(lines.admits("chat.Link", WARN, "connected to {}")).isTrue();
    }

    @Test
    void droppedLinesAreReportedOnceMostFrequentFirst() {
        written(5);
        for (int i = 0; i < 10; i++)
            assertThat(lines.admits("chat.Other", WARN, "failed\n{}") || i >= 3).isTrue();
        assertThat(lines.takeLeftOut())
                .containsExactly(
                        new LeftOut("chat.Other", "failed {}", 7), new LeftOut("chat.Link", "no connection to {}", 2));
        assertThat(lines.takeLeftOut()).isEmpty();
        assertThat(lines.total()).isEqualTo(9);
    }

    @Test
    void manyDifferentLinesAreLimitedInLogAndMemory() {
        int admitted = 0;
        for (int i = 0; i < 100_000; i++) if (lines.admits("lib.Http", WARN, "bad request " + letters(i))) admitted++;
        assertThat(admitted).isLessThan(1_000);
        assertThat(lines.takeLeftOut()).hasSizeLessThan(110);
    }

    /** Returns a different word without digits for each number. */
    private static String letters(int number) {
        StringBuilder word = new StringBuilder();
        for (char digit : Integer.toString(number).toCharArray()) word.append((char) ('a' + digit - '0'));
        return word.toString();
    }

    @Test
    void linesThatDifferOnlyInIdAndAddressAreEqual() {
        int admitted = 0;
        for (int i = 0; i < 440; i++) {
            String channel = Integer.toHexString(0x9e3779b9 * (i + 1));
            String line = "[" + channel + "-" + i + ", L:/127.0.0.1:8080 - R:/[2001:db8::" + channel + "]:"
                    + (40_000 + i) + "] An exception has been observed post termination";
            if (lines.admits("reactor.netty.channel.FluxReceive", WARN, line)) admitted++;
        }
        assertThat(admitted).isEqualTo(3);
        assertThat(lines.admits("reactor.netty.channel.FluxReceive", WARN, "[17a] Another failure"))
                .isTrue();
    }

    @Test
    void warningDoesNotDropAnErrorOfTheSameText() {
        written(10);
        assertThat(lines.admits("chat.Link", Level.ERROR_INT, "no connection to {}"))
                .isTrue();
    }

    @Test
    void longTextIsNormalizedInBoundedTimeAndMemory() {
        assertThat(RepeatedLines.withoutNumbers("x".repeat(10_000_000))).hasSizeLessThanOrEqualTo(120);
        assertThat(RepeatedLines.withoutNumbers("step 12 of 3f failed: {}")).isEqualTo("step # of # failed: {}");
        assertThat(RepeatedLines.withoutNumbers("from /[fe:dead:1::]:80, bad: x"))
                .isEqualTo("from /[#:#:#::]:#, #: x");
    }

    @Test
    void everythingIsLoggedWithoutALimit() {
        RepeatedLines all = new RepeatedLines(new Rate(0, 1), 50, clock);
        for (int i = 0; i < 100; i++)
            assertThat(all.admits("chat.Link", WARN, "same")).isTrue();
        assertThat(all.takeLeftOut()).isEmpty();
    }

    private int written(int times) {
        int written = 0;
        for (int i = 0; i < times; i++) if (lines.admits("chat.Link", WARN, "no connection to {}")) written++;
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
