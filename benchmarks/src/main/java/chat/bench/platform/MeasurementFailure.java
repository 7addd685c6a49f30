package chat.bench.platform;

/** Reports that a measurement cannot continue; the message says why, for people. */
public final class MeasurementFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    public MeasurementFailure(String message) {
        super(message);
    }
}
