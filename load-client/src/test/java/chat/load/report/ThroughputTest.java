package chat.load.report;

import static org.assertj.core.api.Assertions.assertThat;

import chat.load.report.TenSecondCounts.Event;
import chat.load.report.Throughput.Bucket;
import java.util.List;
import org.junit.jupiter.api.Test;

class ThroughputTest {
    private static final double[] NOTHING_SAMPLED = {};

    private final TenSecondCounts counts = new TenSecondCounts();

    @Test
    void steadyRateIsTheSameInEachBucketWhateverSecondItBeganIn() {
        for (int message = 0; message < 25_000; message++) counts.add(Event.SENT, 1, message * 1_000_000L);
        List<Bucket> buckets = new Throughput(3.7, 25, counts, 0).buckets(NOTHING_SAMPLED);
        assertThat(buckets).extracting(Bucket::from).containsExactly(0, 10, 20);
        assertThat(buckets).extracting(Bucket::seconds).containsExactly(10.0, 10.0, 5.0);
        assertThat(buckets).extracting(Bucket::sent).containsOnly(1000.0);
        assertThat(buckets).extracting(Bucket::accepted).containsOnly(0.0);
        assertThat(buckets).extracting(Bucket::stored).containsOnly(Double.NaN);
    }

    @Test
    void rowsPerSecondAreWeightedByTheirShareOfTheBucket() {
        double[] stored = new double[14];
        java.util.Arrays.fill(stored, 100);
        stored[3] = 400;
        stored[5] = Double.NaN;
        // From 3.5 to 13.5 s, without the unknown second: half a second at 400, and 8.5 s at 100.
        assertThat(new Throughput(3.5, 10, counts, 0).buckets(stored))
                .singleElement()
                .extracting(Bucket::stored)
                .isEqualTo((0.5 * 400 + 8.5 * 100) / 9);
    }

    @Test
    void countsOfSeveralThreadsAreAddedUp() {
        TenSecondCounts other = new TenSecondCounts();
        counts.add(Event.DELIVERED, 3, 0);
        counts.add(Event.DELIVERED, 4, 125_000_000_000L);
        other.add(Event.DELIVERED, 5, 9_999_999_999L);
        other.add(Event.DELIVERED, 6, -1);
        counts.add(other);
        assertThat(counts.count(Event.DELIVERED, 0)).isEqualTo(14);
        assertThat(counts.count(Event.DELIVERED, 12)).isEqualTo(4);
        assertThat(counts.count(Event.SENT, 0)).isZero();
        assertThat(counts.count(Event.DELIVERED, 1000)).isZero();
    }
}
