package chat.launcher.chaos;

/** Reports that a run of faults cannot continue; the message states the reason, for people. */
public final class ChaosFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    public ChaosFailure(String message) {
        super(message);
    }
}
