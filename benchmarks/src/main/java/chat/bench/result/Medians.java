package chat.bench.result;

import chat.load.lab.matrix.Spread;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;

/** Calculates and formats medians and ratios of several runs. */
public final class Medians {
    private static final MathContext SIX_DIGITS = new MathContext(6);

    private Medians() {}

    /**
     * Returns the median; of an even number of values the mean of the middle two; NaN if there are none or one is NaN.
     */
    public static double of(Collection<Double> values) {
        Spread spread = values.stream().anyMatch(value -> value.isNaN()) ? null : Spread.of(values);
        return spread == null ? Double.NaN : spread.median();
    }

    /** Returns the ratio of the values of the same run, run by run. */
    public static List<Double> ratios(List<Double> values, List<Double> others) {
        if (values.size() != others.size())
            throw new IllegalArgumentException(values.size() + " values and " + others.size() + " others");
        return IntStream.range(0, values.size())
                .mapToObj(i -> values.get(i) / others.get(i))
                .toList();
    }

    /** Formats a number with at most six digits and without trailing zeros, such as {@code 0.945}. */
    public static String text(double value) {
        return text(value, SIX_DIGITS);
    }

    /** Formats a number with this precision and without trailing zeros or exponent; {@code ?} if it is not finite. */
    public static String text(double value, MathContext precision) {
        if (!Double.isFinite(value)) return "?";
        return new BigDecimal(value).round(precision).stripTrailingZeros().toPlainString();
    }
}
