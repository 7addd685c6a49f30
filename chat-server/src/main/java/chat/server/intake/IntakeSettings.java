package chat.server.intake;

/**
 * Limits of one session.
 *
 * @param maxRooms maximum number of rooms of a session
 * @param maxFaults the socket is closed after this many faulty frames; each accepted frame cancels one
 * @param retryAfterMs delay, in milliseconds, that an error suggests when the log is unavailable; while the circuit
 *     breaker of the log is open, the error suggests the rest of its time instead
 */
public record IntakeSettings(int maxRooms, int maxFaults, int retryAfterMs) {
    /** A client with a bug stops long before; an attacker does not make the server parse and answer forever. */
    private static final int MAX_FAULTS = 100;

    /** Milliseconds: long enough for the broker to fail over, short enough for people. */
    private static final int RETRY_AFTER_MS = 1000;

    public IntakeSettings {
        if (maxRooms < 1 || maxFaults < 1 || retryAfterMs < 1)
            throw new IllegalArgumentException("maxRooms, maxFaults and retryAfterMs must be at least 1");
    }

    /** Creates the settings of production, in which the other values are constants. */
    public IntakeSettings(int maxRooms) {
        this(maxRooms, MAX_FAULTS, RETRY_AFTER_MS);
    }
}
