package chat.load.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Holds measurements per second: series by name, values by second. A name is {@code source.metric}, such as {@code
 * client.deliveries} or {@code chat-8081.cpu}. Thread-safe.
 */
public final class Samples {
    private static final int FIRST = 128;

    private final Map<String, double[]> series = new LinkedHashMap<>();
    private int seconds;

    /**
     * @param second since the run's beginning; replaces an earlier value
     * @param value NaN counts as absent
     */
    public synchronized void put(int second, String name, double value) {
        if (second < 0) throw new IllegalArgumentException("second must not be negative");
        seconds = Math.max(seconds, second + 1);
        double[] values = series.computeIfAbsent(name, added -> unknown(FIRST));
        if (second >= values.length) {
            double[] longer = unknown(Math.max(second + 1, 2 * values.length));
            System.arraycopy(values, 0, longer, 0, values.length);
            series.put(name, longer);
            values = longer;
        }
        values[second] = value;
    }

    /** Names in the order of their first value. */
    public synchronized List<String> names() {
        return new ArrayList<>(series.keySet());
    }

    /** One value per second from 0 to {@link #seconds}, NaN if there is none; all NaN for an unknown name. */
    public synchronized double[] values(String name) {
        double[] values = series.get(name);
        if (values == null) return unknown(seconds);
        double[] cut = unknown(seconds);
        System.arraycopy(values, 0, cut, 0, Math.min(values.length, seconds));
        return cut;
    }

    /** One more than the last second that has a value. */
    public synchronized int seconds() {
        return seconds;
    }

    private static double[] unknown(int length) {
        double[] values = new double[length];
        Arrays.fill(values, Double.NaN);
        return values;
    }
}
