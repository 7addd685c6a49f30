package chat.server.session;

/**
 * Limits on the number of WebSocket frames of one socket: small frames cost as much as large ones.
 *
 * @param maxFragments fragments of one message, 1 to 65,536
 * @param maxControlFrames pings and pongs per second, 1 to 1,000,000
 */
record WireSettings(int maxFragments, int maxControlFrames) {
    /** The values of production, far above what clients send. */
    static final WireSettings DEFAULT = new WireSettings(1000, 100);

    WireSettings {
        if (maxFragments < 1 || maxFragments > 65_536)
            throw new IllegalArgumentException("max-fragments must be 1 to 65536");
        if (maxControlFrames < 1 || maxControlFrames > 1_000_000)
            throw new IllegalArgumentException("max-control-frames must be 1 to 1000000");
    }
}
