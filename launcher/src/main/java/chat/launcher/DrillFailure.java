package chat.launcher;

/** Reports that a drill cannot continue; the message states the reason, for people. */
final class DrillFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    DrillFailure(String message) {
        super(message);
    }
}
