package chat.server.presence;

import java.time.Duration;

/**
 * Settings of presence: the members of rooms on all servers.
 *
 * @param singleUpTo members up to which a room receives each JOIN and LEAVE; larger rooms receive MEMBERS frames
 * @param named maximum number of names in each list of a MEMBERS frame of a larger room
 * @param interval minimum time between two MEMBERS frames of one room
 * @param maxMembers maximum number of members indexed per partition, in all rooms and on all servers; beyond it the counts
 *     are too low
 * @param patience how long a starting partition waits for the rosters of other servers
 * @param maxLateLeaves maximum number of LEAVEs per partition kept while the log is unavailable
 */
public record PresenceSettings(
        int singleUpTo, int named, Duration interval, int maxMembers, Duration patience, int maxLateLeaves) {
    public static final PresenceSettings DEFAULT =
            new PresenceSettings(200, 20, Duration.ofSeconds(1), 1_000_000, Duration.ofMillis(500), 100_000);

    public PresenceSettings {
        if (singleUpTo < 0 || singleUpTo > 1000) throw new IllegalArgumentException("singleUpTo must be 0 to 1000");
        if (named < 0 || named > 1000) throw new IllegalArgumentException("named must be 0 to 1000");
        if (!interval.isPositive()) throw new IllegalArgumentException("interval must be positive");
        if (maxMembers < 1 || maxLateLeaves < 1)
            throw new IllegalArgumentException("maxMembers and maxLateLeaves must be at least 1");
        if (patience.isNegative()) throw new IllegalArgumentException("patience must not be negative");
    }
}
