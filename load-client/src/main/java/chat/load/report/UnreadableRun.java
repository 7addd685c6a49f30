package chat.load.report;

/** A folder that was given holds no run, or one that cannot be read. Its message is for people. */
public final class UnreadableRun extends Exception {
    private static final long serialVersionUID = 1;

    UnreadableRun(String message) {
        super(message);
    }
}
