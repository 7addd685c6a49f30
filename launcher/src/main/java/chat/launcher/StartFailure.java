package chat.launcher;

/** Something could not be started; the message says what and why, for people. */
final class StartFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    StartFailure(String message) {
        super(message);
    }
}
