package chat.load.driver;

/**
 * Why a connection ended, or never came to be.
 *
 * @param code the close code, 1006 where none came; below 1000 the HTTP status that refused the upgrade
 * @param retryAfterMillis what the server has told to wait; 0 where it has not
 */
record Ending(int code, String reason, long retryAfterMillis) {
    static final int ABNORMAL = 1006;

    Ending(int code, String reason) {
        this(code, reason, 0);
    }

    static Ending abnormal(String reason) {
        return new Ending(ABNORMAL, reason);
    }

    /** Connecting again would end the same way. */
    boolean isFinal() {
        return switch (code) {
            case 408, 429 -> false;
            // The server found our own frames wrong, or too large.
            case 1002, 1003, 1007, 1008, 1009 -> true;
            default -> (code >= 400 && code < 500) || (code >= 4000 && code < 4100);
        };
    }

    /** The upgrade was refused by an answer. */
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
