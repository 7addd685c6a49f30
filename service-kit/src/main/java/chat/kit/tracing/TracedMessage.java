package chat.kit.tracing;

/**
 * A message that is traced, at its place in the log. Its id is the trace's.
 *
 * @param idHigh upper half of its id
 * @param idLow lower half of its id
 * @param run of the server that wrote it: one that is sent again through another server is another attempt
 */
public record TracedMessage(long idHigh, long idLow, long run, String room, int partition, long position) {

    /** Of the span that all others hang on: every program finds it from what stands in the log. */
    long frameSpan() {
        long id = Mix.of(idHigh ^ run, idLow);
        return id == 0 ? 1 : id; // 0 is no id
    }
}
