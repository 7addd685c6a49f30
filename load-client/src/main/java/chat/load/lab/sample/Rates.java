package chat.load.lab.sample;

import java.util.HashMap;
import java.util.Map;

/** Calculates the growth of totals since their last value; NaN for a first value. Confined to one thread. */
final class Rates {
    private record Seen(long life, double total, double other) {}

    private final Map<String, Seen> last = new HashMap<>();

    double perSecond(String name, long life, double total, long nanos) {
        Seen before = last.put(name, new Seen(life, total, nanos));
        if (before == null || before.life != life || total < before.total || nanos <= before.other) return Double.NaN;
        return (total - before.total) * 1e9 / (nanos - before.other);
    }

    double quotient(String name, long life, double total, double perTotal) {
        Seen before = last.put(name, new Seen(life, total, perTotal));
        if (before == null || before.life != life || total < before.total || perTotal <= before.other)
            return Double.NaN;
        return (total - before.total) / (perTotal - before.other);
    }
}
