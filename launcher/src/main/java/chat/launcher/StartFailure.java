package chat.launcher;

/** Reports that a program could not be started; the message states which and why, for people. */
final class StartFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    StartFailure(String message) {
        super(message);
    }
}
