package chat.protocol;

/**
 * How fast a session may send, as WELCOME tells it.
 *
 * @param messagesPerSecond sustained, above 0
 * @param burst at once after a pause, at least 1
 */
public record SendRate(double messagesPerSecond, int burst) {
    /** As JSON has it: without a fraction where there is none. */
    String perSecondText() {
        long whole = (long) messagesPerSecond;
        return whole == messagesPerSecond ? Long.toString(whole) : Double.toString(messagesPerSecond);
    }
}
