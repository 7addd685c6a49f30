package chat.server.presence;

import java.time.Duration;

/**
 * What is kept and told of who is where.
 *
 * @param singleUpTo members of a room up to which each JOIN and LEAVE is told by itself; larger rooms are told merged
 * @param named names in each list of one MEMBERS frame of a larger room
 * @param interval between two MEMBERS frames of one room, at least
 * @param maxMembers kept per partition, all rooms and servers together; beyond it counts are too low
 * @param patience of a partition that starts, with servers that do not say who is there through them
 * @param maxLateLeaves LEAVEs per partition that are kept while the log can't be written to
 */
public record PresenceSettings(
        int singleUpTo, int named, Duration interval, int maxMembers, Duration patience, int maxLateLeaves) {
    public static final PresenceSettings DEFAULT =
            new PresenceSettings(200, 20, Duration.ofSeconds(1), 1_000_000, Duration.ofMillis(500), 100_000);

    public PresenceSettings {
        if (singleUpTo < 0 || singleUpTo > 1000) throw new IllegalArgumentException("singleUpTo must be 0 to 1000");
        if (named < 0 || named > 1000) throw new IllegalArgumentException("named must be 0 to 1000");
        if (!interval.isPositive()) throw new IllegalArgumentException("interval must be longer than nothing");
        if (maxMembers < 1 || maxLateLeaves < 1)
            throw new IllegalArgumentException("maxMembers and maxLateLeaves must be at least 1");
        if (patience.isNegative()) throw new IllegalArgumentException("patience must not be negative");
    }
}
