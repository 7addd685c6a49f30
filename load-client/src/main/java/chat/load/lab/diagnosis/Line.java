package chat.load.lab.diagnosis;

/**
 * The straight line nearest to values (least squares), by their index; NaN values are left out.
 *
 * @param slope per index
 * @param fit the share of the values' variance that it explains, 0 to 1; 0 where they do not vary
 */
record Line(double start, double slope, double fit) {
    static Line through(double[] values) {
        double n = 0;
        double sumX = 0;
        double sumY = 0;
        for (int x = 0; x < values.length; x++) {
            if (Double.isNaN(values[x])) continue;
            n++;
            sumX += x;
            sumY += values[x];
        }
        if (n < 2) return new Line(n == 0 ? Double.NaN : sumY, 0, 0);
        double meanX = sumX / n;
        double meanY = sumY / n;
        double xx = 0;
        double xy = 0;
        double yy = 0;
        for (int x = 0; x < values.length; x++) {
            if (Double.isNaN(values[x])) continue;
            xx += (x - meanX) * (x - meanX);
            xy += (x - meanX) * (values[x] - meanY);
            yy += (values[x] - meanY) * (values[x] - meanY);
        }
        double slope = xy / xx;
        return new Line(meanY - slope * meanX, slope, yy == 0 ? 0 : xy * xy / (xx * yy));
    }

    double at(double x) {
        return start + slope * x;
    }
}
