package chat.load.lab.matrix;

import java.util.Arrays;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * Summarizes several runs' values of one figure. With an even number of values, the median is the mean of the middle
 * two.
 */
public record Spread(double median, double min, double max) {
    /** @return null if there are no values */
    public static @Nullable Spread of(Collection<Double> values) {
        if (values.isEmpty()) return null;
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        return new Spread(
                sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2,
                sorted[0],
                Arrays.stream(sorted).max().orElseThrow());
    }
}
