package chat.log;

/** Thrown when the log cannot be reached or an append fails. */
public final class LogUnavailable extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** The state of the entry whose append failed. */
    public enum Outcome {
        /** It is not in the log and will not appear there. */
        NOT_WRITTEN,
        /** It may be in the log. */
        UNKNOWN
    }

    private final Outcome outcome;

    public LogUnavailable(Outcome outcome, String message) {
        super(message);
        this.outcome = outcome;
    }

    public Outcome outcome() {
        return outcome;
    }
}
