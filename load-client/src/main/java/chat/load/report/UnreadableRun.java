package chat.load.report;

/** A given folder contains no run, or one that cannot be read. The message is for users. */
public final class UnreadableRun extends Exception {
    private static final long serialVersionUID = 1;

    UnreadableRun(String message) {
        super(message);
    }
}
