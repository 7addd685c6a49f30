package chat.persistence.batch;

/** The store can't do it now; the message is for people, in one line. */
public final class StoreUnavailable extends Exception {
    private static final long serialVersionUID = 1;

    public StoreUnavailable(String message, Throwable cause) {
        super(message, cause);
    }
}
