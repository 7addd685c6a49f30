package chat.server.intake;

/**
 * What one session may do.
 *
 * @param maxRooms that it may be in at once
 * @param maxFaults frames that may be refused for what they say before the socket is closed; each one taken makes up
 *     for one refused
 * @param retryAfterMs told with a refusal because the log can't be reached, milliseconds; while its breaker is
 *     open, what is left of that is told
 */
public record IntakeSettings(int maxRooms, int maxFaults, int retryAfterMs) {
    public IntakeSettings {
        if (maxRooms < 1 || maxFaults < 1 || retryAfterMs < 1)
            throw new IllegalArgumentException("maxRooms, maxFaults and retryAfterMs must be at least 1");
    }
}
