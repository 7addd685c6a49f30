package chat.server.intake;

/**
 * Limits of one session.
 *
 * @param maxRooms rooms that it may be in at the same time
 * @param maxFaults the socket is closed after this many faulty frames; each accepted frame cancels one
 * @param retryAfterMs delay, in milliseconds, that an error suggests when the log is unavailable; while the circuit
 *     breaker of the log is open, the error suggests the rest of its time instead
 */
public record IntakeSettings(int maxRooms, int maxFaults, int retryAfterMs) {
    public IntakeSettings {
        if (maxRooms < 1 || maxFaults < 1 || retryAfterMs < 1)
            throw new IllegalArgumentException("maxRooms, maxFaults and retryAfterMs must be at least 1");
    }
}
