package chat.log;

/** Thrown when the bytes of an entry are not an entry that this version can read. */
public final class MalformedEntry extends RuntimeException {
    private static final long serialVersionUID = 1;

    MalformedEntry(String message) {
        super(message);
    }

    MalformedEntry(String message, Throwable cause) {
        super(message, cause);
    }
}
