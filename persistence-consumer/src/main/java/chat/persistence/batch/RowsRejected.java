package chat.persistence.batch;

/** The database rejects at least one of the rows permanently; the message says why. */
public final class RowsRejected extends Exception {
    private static final long serialVersionUID = 1;

    public RowsRejected(String reason, Throwable cause) {
        super(reason, cause);
    }
}
