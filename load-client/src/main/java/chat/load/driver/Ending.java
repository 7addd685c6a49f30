package chat.load.driver;

/**
 * Says why a connection ended or could not be opened.
 *
 * @param code the close code, 1006 if there was none; below 1000 the HTTP status that rejected the upgrade
 * @param retryAfterMillis wait that the server requested; 0 if none
 */
record Ending(int code, String reason, long retryAfterMillis) {
    static final int ABNORMAL = 1006;

    Ending(int code, String reason) {
        this(code, reason, 0);
    }

    static Ending abnormal(String reason) {
        return new Ending(ABNORMAL, reason);
    }

    /** Whether another connection would end the same way. */
    boolean isFinal() {
        return switch (code) {
            case 408, 429 -> false;
            // The server considered our frames invalid or too large.
            case 1002, 1003, 1007, 1008, 1009 -> true;
            default -> (code >= 400 && code < 500) || (code >= 4000 && code < 4100);
        };
    }

    /** Whether an HTTP response rejected the upgrade. */
    boolean isHttpStatus() {
        return code < 1000;
    }

    boolean reconnectAtOnce() {
        return code >= 4200 && code < 4300;
    }

    @Override
    public String toString() {
        return code + " " + reason;
    }
}
