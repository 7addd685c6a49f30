package chat.launcher;

/** Why a drill cannot go on, for people. */
final class DrillFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    DrillFailure(String message) {
        super(message);
    }
}
