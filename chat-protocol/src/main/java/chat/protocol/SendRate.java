package chat.protocol;

/**
 * Holds the rate limit of a session that WELCOME announces.
 *
 * @param messagesPerSecond sustained rate, above 0
 * @param burst messages at once after a pause, at least 1
 */
public record SendRate(double messagesPerSecond, int burst) {
    /** Returns the rate as a JSON number, without a fraction if it is whole. */
    String perSecondText() {
        long whole = (long) messagesPerSecond;
        return whole == messagesPerSecond ? Long.toString(whole) : Double.toString(messagesPerSecond);
    }
}
