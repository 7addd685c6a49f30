package chat.server.presence;

import java.time.Duration;

/**
 * Settings of presence: the members of rooms on all servers.
 *
 * @param singleUpTo largest room that receives each JOIN and LEAVE; larger ones receive MEMBERS frames
 * @param named maximum number of names in each list of a MEMBERS frame of a larger room
 * @param interval minimum time between two MEMBERS frames of one room
 * @param maxMembers maximum number of members counted per partition, on all servers; beyond it counts are too low
 * @param patience how long a starting partition waits for the rosters of other servers
 * @param maxLateLeaves maximum number of LEAVEs per partition kept while the log is unavailable
 */
public record PresenceSettings(
        int singleUpTo, int named, Duration interval, int maxMembers, Duration patience, int maxLateLeaves) {
    /** As many names as people read; counts cover the rest. */
    private static final int NAMED = 20;

    /** Fast enough for people; bounds the frames of a room that thousands join and leave. */
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    /** Far longer than a roster takes to arrive; a server that does not answer delays the start by no more. */
    private static final Duration PATIENCE = Duration.ofMillis(500);

    /** Bounds the memory of a long outage of the log; further members leave when their server times out. */
    private static final int MAX_LATE_LEAVES = 100_000;

    public static final PresenceSettings DEFAULT = new PresenceSettings(200, 1_000_000);

    public PresenceSettings {
        if (singleUpTo < 0 || singleUpTo > 1000) throw new IllegalArgumentException("singleUpTo must be 0 to 1000");
        if (named < 0 || named > 1000) throw new IllegalArgumentException("named must be 0 to 1000");
        if (!interval.isPositive()) throw new IllegalArgumentException("interval must be positive");
        if (maxMembers < 1 || maxLateLeaves < 1)
            throw new IllegalArgumentException("maxMembers and maxLateLeaves must be at least 1");
        if (patience.isNegative()) throw new IllegalArgumentException("patience must not be negative");
    }

    /** Creates the settings of production, in which the other values are constants. */
    public PresenceSettings(int singleUpTo, int maxMembers) {
        this(singleUpTo, NAMED, INTERVAL, maxMembers, PATIENCE, MAX_LATE_LEAVES);
    }
}
