package chat.load.lab.diagnosis;

import java.util.Arrays;
import java.util.Locale;

/**
 * Classifies how a rate behaved over time. The first and the last second are cut off because they are incomplete. At
 * each end, up to a quarter of the values is also cut off while the rate is below 80 % of its median, so that a ramp
 * does not count as a drift. Two numbers classify the remaining values:
 *
 * <ul>
 *   <li>variation: standard deviation from the trend line, divided by the mean; 10 % or more is uneven
 *   <li>drift: the change from the mean of the first third to the mean of the last third; 6 % or more is a drift
 * </ul>
 *
 * @param seconds number of values classified
 * @param mean mean of these values
 * @param variation as a share of the mean
 * @param drift as a share; negative if the rate fell
 */
record Shape(Kind kind, int seconds, double mean, double variation, double drift) {
    enum Kind {
        PLATEAU,
        DRIFT,
        UNEVEN,
        /** Fewer than 12 values, or all of them 0. */
        TOO_SHORT
    }

    static final int SHORTEST = 12;
    static final double DRIFT = 0.06;
    static final double VARIATION = 0.10;
    private static final double RAMP = 0.8;

    /** @param perSecond one value per second; NaN values are ignored */
    static Shape of(double[] perSecond) {
        double[] values = trim(Arrays.stream(perSecond).filter(Double::isFinite).toArray());
        double mean = Numbers.mean(values);
        if (values.length < SHORTEST || mean == 0) return new Shape(Kind.TOO_SHORT, values.length, mean, 0, 0);
        int third = values.length / 3;
        double first = Numbers.mean(Arrays.copyOf(values, third));
        double last = Numbers.mean(Arrays.copyOfRange(values, values.length - third, values.length));
        double drift = first == 0 ? Double.POSITIVE_INFINITY : last / first - 1;
        double variation = Numbers.deviation(residuals(values)) / mean;
        Kind kind;
        if (variation >= VARIATION) kind = Kind.UNEVEN;
        else kind = Math.abs(drift) < DRIFT ? Kind.PLATEAU : Kind.DRIFT;
        return new Shape(kind, values.length, mean, variation, drift);
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

    /** Describes the shape in one sentence; {@code what} names the things counted, such as "deliveries". */
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
            case UNEVEN -> "Uneven: " + numbers;
            case TOO_SHORT ->
                "Too short to classify: " + seconds + " s without ramps; at least " + SHORTEST + " s are needed";
        };
    }
}
