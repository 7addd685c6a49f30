package chat.load.diagnosis;

import java.util.Arrays;
import java.util.Locale;

/**
 * How a rate behaved over time. First and last second are cut off, being parts, and of either end up to a quarter where the
 * rate is below 80 % of its median, so that a ramp is not taken for a drift. What is left is judged by these numbers:
 *
 * <ul>
 *   <li>drift: the mean of the last third against that of the first; 6 % or more is a drift
 *   <li>variation: standard deviation from the trend line, against the mean; below 10 % it is a plateau, or only drifts
 *   <li>rhythm: the highest peak of the autocorrelation, which is at its period. A rate that varies more, has fallen three
 *       times or more from above to below its trend, and has a rhythm of 0.3 or keeps its direction (autocorrelation after
 *       1 s of 0.4), each more where there are few seconds, is a sawtooth; without that it is only uneven
 * </ul>
 *
 * @param seconds that were judged
 * @param mean of these
 * @param variation as a share of the mean
 * @param lag1 autocorrelation after one second
 * @param rhythm 0 where there is no peak
 * @param period of the rhythm, in seconds
 * @param drift as a share; negative where the rate fell
 */
record Shape(
        Kind kind, int seconds, double mean, double variation, double lag1, double rhythm, int period, double drift) {
    enum Kind {
        PLATEAU,
        DRIFT,
        SAWTOOTH,
        UNEVEN,
        /** Fewer than 12 seconds, or nothing at all. */
        TOO_SHORT
    }

    static final int SHORTEST = 12;
    static final double DRIFT = 0.06;
    static final double VARIATION = 0.10;
    private static final double RAMP = 0.8;
    private static final int TEETH = 3;

    /** @param perSecond one value each second; NaN is left out */
    static Shape of(double[] perSecond) {
        double[] values = trim(Arrays.stream(perSecond).filter(Double::isFinite).toArray());
        double mean = Numbers.mean(values);
        if (values.length < SHORTEST || mean == 0) return new Shape(Kind.TOO_SHORT, values.length, mean, 0, 0, 0, 0, 0);
        int third = values.length / 3;
        double first = Numbers.mean(Arrays.copyOf(values, third));
        double last = Numbers.mean(Arrays.copyOfRange(values, values.length - third, values.length));
        double drift = first == 0 ? Double.POSITIVE_INFINITY : last / first - 1;
        double[] residuals = residuals(values);
        double variation = Numbers.deviation(residuals) / mean;
        double lag1 = Numbers.autocorrelation(residuals, 1);
        int period = period(residuals);
        double rhythm = period == 0 ? 0 : Numbers.autocorrelation(residuals, period);
        Kind kind;
        if (variation < VARIATION) kind = Math.abs(drift) < DRIFT ? Kind.PLATEAU : Kind.DRIFT;
        else kind = hasTeeth(residuals, rhythm, lag1) ? Kind.SAWTOOTH : Kind.UNEVEN;
        return new Shape(kind, values.length, mean, variation, lag1, rhythm, period, drift);
    }

    private static double[] trim(double[] values) {
        double low = RAMP * Numbers.median(values);
        int most = values.length / 4;
        int from = Math.min(1, values.length);
        while (from < most && values[from] < low) from++;
        int to = Math.max(from, values.length - 1);
        while (values.length - to < most && values[to - 1] < low) to--;
        return Arrays.copyOfRange(values, from, to);
    }

    private static double[] residuals(double[] values) {
        Line trend = Line.through(values);
        double[] residuals = new double[values.length];
        for (int i = 0; i < values.length; i++) residuals[i] = values[i] - trend.at(i);
        return residuals;
    }

    /** Where the autocorrelation has its highest peak; 0 if it has none. */
    private static int period(double[] residuals) {
        int period = 0;
        double highest = 0;
        for (int lag = 2; lag <= residuals.length / 3; lag++) {
            double here = Numbers.autocorrelation(residuals, lag);
            boolean peak = here >= Numbers.autocorrelation(residuals, lag - 1)
                    && here >= Numbers.autocorrelation(residuals, lag + 1);
            if (peak && here > highest) {
                highest = here;
                period = lag;
            }
        }
        return period;
    }

    /** Noise has peaks, too: the fewer values, the higher they may be by chance, about 1 / sqrt(n) each. */
    private static boolean hasTeeth(double[] residuals, double rhythm, double lag1) {
        double chance = 1 / Math.sqrt(residuals.length);
        boolean ordered = rhythm >= Math.max(0.3, 3 * chance) || lag1 >= Math.max(0.4, 2.5 * chance);
        return ordered && falls(residuals) >= TEETH;
    }

    /** How often the rate went from clearly above its trend to clearly below. */
    private static int falls(double[] residuals) {
        double clearly = Numbers.deviation(residuals) / 2;
        int falls = 0;
        boolean high = false;
        for (double residual : residuals) {
            if (residual > clearly) high = true;
            else if (residual < -clearly && high) {
                high = false;
                falls++;
            }
        }
        return falls;
    }

    /** In words, with the numbers: so many {@code what} per second. */
    String words(String what) {
        String numbers = String.format(
                Locale.ROOT,
                "%,.0f %s/s on average of %d s, varying by %.1f %% around the trend; %+.1f %% from the first third to the last",
                mean,
                what,
                seconds,
                100 * variation,
                100 * drift);
        return switch (kind) {
            case PLATEAU -> "A plateau: " + numbers;
            case DRIFT -> (drift < 0 ? "Falling: " : "Rising: ") + numbers;
            case SAWTOOTH ->
                "A sawtooth: " + numbers
                        + (rhythm >= 0.3 ? "; a tooth about every " + period + " s" : "; no fixed period");
            case UNEVEN -> "Uneven, without a rhythm: " + numbers;
            case TOO_SHORT ->
                "Too short to be judged: " + seconds + " s without ramps, where " + SHORTEST + " are needed";
        };
    }
}
