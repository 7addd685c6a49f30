package chat.load.lab.diagnosis;

import java.util.Arrays;

/** Computes basic statistics; the mean and median of no values are NaN. */
final class Numbers {
    private Numbers() {}

    static double mean(double[] values) {
        return Arrays.stream(values).average().orElse(Double.NaN);
    }

    static double median(double[] values) {
        if (values.length == 0) return Double.NaN;
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    static double sumOfSquares(double[] values) {
        double sum = 0;
        for (double value : values) sum += value * value;
        return sum;
    }

    /** Standard deviation of values whose mean is 0. */
    static double deviation(double[] residuals) {
        return Math.sqrt(sumOfSquares(residuals) / residuals.length);
    }
}
