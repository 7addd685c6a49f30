package chat.kit.tracing;

/**
 * Represents a part of a message's path, with its times. Times are from {@link System#nanoTime} unless their name says
 * otherwise.
 */
public sealed interface Step {
    TracedMessage message();

    /**
     * The accepting server: from intake until the ACK was sent.
     *
     * @param takenInMillis time of intake in milliseconds since 1970, from the message
     * @param published when its entry was published to the log
     * @param confirmed when the log confirmed the entry; 0: not before it was read back
     * @param read when it was read back
     */
    record Frame(TracedMessage message, long takenInMillis, long published, long confirmed, long read, long written)
            implements Step {}

    /**
     * Each server with members of the room: from reading the entry until it was passed to their connections.
     *
     * @param members number of members it was sent to
     */
    record Delivery(TracedMessage message, int members, long read, long written) implements Step {}

    /**
     * The consumer: from reading the entry until the row was committed.
     *
     * @param batch number of messages in the transaction
     * @param begun when the transaction began, after waiting for earlier ones
     */
    record Row(TracedMessage message, int batch, long read, long begun, long committed) implements Step {}
}
