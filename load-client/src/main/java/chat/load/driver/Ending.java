package chat.load.driver;

/**
 * Why a connection ended, or never came to be.
 *
 * @param code the close code, 1006 where none came; below 1000 the HTTP status that refused the upgrade
 */
record Ending(int code, String reason) {
    static final int ABNORMAL = 1006;

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

    boolean reconnectAtOnce() {
        return code >= 4200 && code < 4300;
    }

    @Override
    public String toString() {
        return code + " " + reason;
    }
}
