package chat.log;

/** The bytes of an entry are not what this version can read. */
public final class MalformedEntry extends RuntimeException {
    private static final long serialVersionUID = 1;

    MalformedEntry(String message) {
        super(message);
    }

    MalformedEntry(String message, Throwable cause) {
        super(message, cause);
    }
}
