package chat.kit.tracing;

/**
 * Identifies a traced message and its position in the log. Its id is the trace id.
 *
 * @param idHigh upper half of its id
 * @param idLow lower half of its id
 * @param run incarnation of the server that wrote it: a message resent through another server is a separate attempt
 */
public record TracedMessage(long idHigh, long idLow, long run, String room, int partition, long position) {

    /** Returns the id of the root span; every program derives it from the log. */
    long frameSpan() {
        long id = Mix.of(idHigh ^ run, idLow);
        return id == 0 ? 1 : id; // 0 is not a valid id
    }
}
