package chat.persistence.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import chat.persistence.dashboard.Window.Reading;
import chat.persistence.dashboard.Window.View;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class WindowTest {
    private final Window window = new Window();

    private View at(long seconds, String text) {
        return window.add(new Reading(seconds * 1000, Samples.parse(text)));
    }

    private static String sent(int run, int count) {
        return "process_start_time_seconds " + run + "\nsent_total " + count + "\n";
    }

    @Test
    void firstReadingHasNoRates() {
        assertThat(at(100, sent(1, 5000)).perSecond("sent_total")).isNull();
    }

    @Test
    void ratesCoverTheWholeWindow() {
        at(100, sent(1, 0));
        assertThat(at(105, sent(1, 50)).perSecond("sent_total")).isEqualTo(10);
        assertThat(at(110, sent(1, 300)).perSecond("sent_total")).isEqualTo(30);
        // The one of 100 is too old: 250 and 100 more in the 12 seconds since 105.
        assertThat(at(117, sent(1, 410)).perSecond("sent_total")).isEqualTo(30);
    }

    @Test
    void afterAPauseThereIsNoRateUntilTheNextReading() {
        at(100, sent(1, 0));
        assertThat(at(200, sent(1, 50)).perSecond("sent_total")).isNull();
        assertThat(at(201, sent(1, 57)).perSecond("sent_total")).isEqualTo(7);
    }

    @Test
    void restartedProgramStartsANewWindow() {
        at(100, sent(1, 1000));
        assertThat(at(102, sent(2, 10)).perSecond("sent_total")).isNull();
        assertThat(at(103, sent(2, 12)).perSecond("sent_total")).isEqualTo(2);
    }

    @Test
    void ratesOfALabelBeginAtNothing() {
        at(100, "refused_total{reason=\"full\"} 4\n");
        View view = at(102, "refused_total{reason=\"full\"} 4\nrefused_total{reason=\"heap\"} 6\n");
        assertThat(view.perSecond("refused_total", "reason", "full")).isZero();
        assertThat(view.perSecond("refused_total", "reason", "heap")).isEqualTo(3);
    }

    private static String waits(int upToOne, int upToTwo, int all) {
        return String.format(Locale.ROOT, """
                wait_seconds_bucket{le="1.0"} %d
                wait_seconds_bucket{le="2.0"} %d
                wait_seconds_bucket{le="+Inf"} %d
                wait_seconds_count %d
                wait_seconds_sum %d
                """, upToOne, upToTwo, all, all, 2 * all);
    }

    @Test
    void quantilesCoverTheWindowAndInterpolateWithinABucket() {
        at(100, waits(1000, 1000, 1000));
        View view = at(105, waits(1050, 1100, 1100));
        assertThat(view.quantile("wait_seconds", 0.5)).isEqualTo(1);
        assertThat(view.quantile("wait_seconds", 0.75)).isEqualTo(1.5);
        assertThat(view.quantile("wait_seconds", 0.25)).isEqualTo(0.5);
        assertThat(view.mean("wait_seconds")).isEqualTo(2, within(1e-9));
    }

    @Test
    void beyondTheLastBoundAQuantileIsThatBound() {
        at(100, waits(0, 0, 0));
        assertThat(at(105, waits(0, 0, 10)).quantile("wait_seconds", 0.5)).isEqualTo(2);
    }

    @Test
    void withoutObservationsThereAreNoQuantiles() {
        at(100, waits(5, 5, 5));
        View view = at(105, waits(5, 5, 5));
        assertThat(view.quantile("wait_seconds", 0.5)).isNull();
        assertThat(view.quantile("nothing", 0.5)).isNull();
        assertThat(view.mean("wait_seconds")).isNull();
    }
}
