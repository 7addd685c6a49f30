package chat.load.report;

/**
 * States something about where a run's time went.
 *
 * @param resource its subject, such as {@code CPU} or {@code rabbitmq.depth}
 * @param text a sentence with the numbers behind it
 */
public record Finding(String resource, String text, Level level) {
    public enum Level {
        /** The resource was used up and may be the bottleneck. */
        SATURATED,
        /** Not used up, but worth knowing. */
        NOTICE,
        INFO
    }
}
