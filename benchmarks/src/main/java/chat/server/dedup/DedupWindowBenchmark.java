package chat.server.dedup;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Measures the duplicate check done for each message read, with 250,000 ids in the deduplication window. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class DedupWindowBenchmark {
    private static final int IDS = 250_000;
    /** A prime, so that ids are looked up in an order that caches cannot predict. */
    private static final int STRIDE = 104_729;

    private static final long HIGH = 0x0199b7c03a1e7d42L;
    /** Odd, so that the low halves look random and are all different. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private DedupWindow ids;
    private long next;
    private int known;

    @Setup
    public void fill() {
        ids = new DedupWindow(2 * IDS, Long.MAX_VALUE, 0, new LongAdder());
        for (next = 0; next < IDS - 1; next++) ids.firstPosition(HIGH, next * SPREAD, next, next, 0);
    }

    /** Evicts the older half during the measurement, as under load. */
    @Benchmark
    public long newId() {
        long id = next++;
        return ids.firstPosition(HIGH, id * SPREAD, id, id, 0);
    }

    @Benchmark
    public long knownId() {
        known = (known + STRIDE) % (IDS - 1);
        return ids.firstPosition(HIGH, known * SPREAD, known, known, 0);
    }
}
