package chat.launcher.platform;

/** Reports that a program could not be started; the message states which and why, for people. */
public final class StartFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    public StartFailure(String message) {
        super(message);
    }
}
