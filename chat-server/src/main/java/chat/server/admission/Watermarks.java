package chat.server.admission;

/**
 * Where one resource is short, and where it is not any more. Between the two it stays what it was, so that a server at its
 * limit does not open and close with every reading.
 *
 * @param high from here on it is short; 0: nobody looks
 * @param low below it is not any more; above 0 and below {@code high}
 */
public record Watermarks(double high, double low) {
    /** Nobody looks. */
    public static final Watermarks OFF = new Watermarks(0, 0);

    public Watermarks {
        if (!(high == 0 && low == 0) && !(low > 0 && low < high && high < Double.POSITIVE_INFINITY))
            throw new IllegalArgumentException("high must be above low, and low above 0; or both 0");
    }

    boolean isOff() {
        return high == 0;
    }

    /** Whether it is short at this reading, having been so before or not. NaN, no reading, changes nothing. */
    boolean isShort(double reading, boolean before) {
        return before ? !(reading < low) : reading >= high;
    }
}
