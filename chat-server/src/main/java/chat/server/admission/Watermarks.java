package chat.server.admission;

/**
 * The high and low watermarks of one resource. Between them the state does not change, so a server at its limit does
 * not flap.
 *
 * @param high the resource is short from here; 0: not measured
 * @param low it recovers below; above 0 and below {@code high}
 */
record Watermarks(double high, double low) {
    Watermarks {
        if (!(high == 0 && low == 0) && !(low > 0 && low < high && high < Double.POSITIVE_INFINITY))
            throw new IllegalArgumentException("high must be above low, and low above 0; or both 0");
    }

    boolean isOff() {
        return high == 0;
    }

    /** Whether the resource is short at this reading, given its previous state. NaN (no reading) keeps that state. */
    boolean isShort(double reading, boolean before) {
        return before ? !(reading < low) : reading >= high;
    }
}
