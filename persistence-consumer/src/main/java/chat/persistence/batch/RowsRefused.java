package chat.persistence.batch;

/** The database refuses at least one of the rows, and always will; the message says why. */
public final class RowsRefused extends Exception {
    private static final long serialVersionUID = 1;

    public RowsRefused(String reason, Throwable cause) {
        super(reason, cause);
    }
}
