package chat.kit.tracing;

/**
 * A part of a message's way, from one moment to another. Moments are of {@link System#nanoTime} unless a name says
 * otherwise.
 */
public sealed interface Step {
    TracedMessage message();

    /**
     * On the server that took it in: from intake until its sender had been sent the ACK.
     *
     * @param takenInMillis since 1970, as the message has it
     * @param published when its entry was handed to the log
     * @param confirmed when the log confirmed that; 0: not yet when it had been read back
     * @param read when it had been read back
     */
    record Frame(TracedMessage message, long takenInMillis, long published, long confirmed, long read, long written)
            implements Step {}

    /**
     * On each server with members of its room: from reading its entry until it had been handed to their sockets.
     *
     * @param members that it was sent to
     */
    record Delivery(TracedMessage message, int members, long read, long written) implements Step {}

    /**
     * In the consumer: from reading its entry until its row was committed.
     *
     * @param batch messages in the transaction
     * @param begun when the transaction began, its turn waited for
     */
    record Row(TracedMessage message, int batch, long read, long begun, long committed) implements Step {}
}
