package chat.load.report;

import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * Latencies in microseconds, to three digits. The clock of a message starts when its frame is first handed to the socket,
 * and is not set back by retries. Confined to one thread; those of several are added up at the end.
 */
public final class Latencies {
    private static final int DIGITS = 3;

    private final Histogram ack = new Histogram(DIGITS);
    private final Histogram ownDelivery = new Histogram(DIGITS);
    private final Histogram othersDelivery = new Histogram(DIGITS);
    private final Histogram welcome = new Histogram(DIGITS);

    public void ack(long nanos) {
        record(ack, nanos);
    }

    public void ownDelivery(long nanos) {
        record(ownDelivery, nanos);
    }

    public void othersDelivery(long nanos) {
        record(othersDelivery, nanos);
    }

    public void welcome(long nanos) {
        record(welcome, nanos);
    }

    private static void record(Histogram histogram, long nanos) {
        histogram.recordValue(Math.max(0, nanos / 1000));
    }

    public void add(Latencies other) {
        ack.add(other.ack);
        ownDelivery.add(other.ownDelivery);
        othersDelivery.add(other.othersDelivery);
        welcome.add(other.welcome);
    }

    /** By what they measure, in the order they are shown. */
    public Map<String, Histogram> histograms() {
        Map<String, Histogram> all = new LinkedHashMap<>();
        all.put(RunRecord.ACK, ack);
        all.put(RunRecord.OWN_DELIVERY, ownDelivery);
        all.put(RunRecord.OTHERS_DELIVERY, othersDelivery);
        all.put(RunRecord.WELCOME, welcome);
        return all;
    }
}
