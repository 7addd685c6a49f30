package chat.persistence.batch;

/** The store cannot do it now. The message is one line, readable by people. */
public final class StoreUnavailable extends Exception {
    private static final long serialVersionUID = 1;

    public StoreUnavailable(String message, Throwable cause) {
        super(message, cause);
    }
}
