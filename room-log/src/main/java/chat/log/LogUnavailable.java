package chat.log;

/** The log can't be reached, or an entry was given up; the message says which. */
public final class LogUnavailable extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** What is known of the entry that failed. */
    public enum Outcome {
        /** It is not in the log and will not come. */
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
