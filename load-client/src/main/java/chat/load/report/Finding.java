package chat.load.report;

/**
 * Something that the numbers of a run say about where its time went.
 *
 * @param resource what it is about, such as {@code CPU} or {@code rabbitmq.depth}
 * @param text a sentence with the numbers it rests on
 */
public record Finding(String resource, String text, Level level) {
    public enum Level {
        /** The resource was used up: it may well be what held the run back. */
        SATURATED,
        /** Not used up, and worth knowing. */
        NOTICE,
        INFO
    }
}
