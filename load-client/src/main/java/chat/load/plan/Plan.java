package chat.load.plan;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Describes one run as data. The driver executes it and the checker judges it.
 *
 * @param scenario its name on the command line
 * @param roomsPerClient number of rooms each connection is in, 1 to 128; rooms form groups of this size, and a client
 *     is in all rooms of its group
 * @param traffic what members send, and in which rooms
 * @param sends how fast TEXTs are sent: per member in a closed loop, for all members together in an open loop
 * @param arrivals when members connect and leave
 * @param guests listeners besides the members
 * @param crowd clients that try to connect during the chat; null for none
 * @param keepsConnections whether the run fails if a member's connection is lost or rejected
 * @param retries how often a TEXT is retried that a server rejected for now
 * @param duration length of the chat: nothing is sent after it, and no member leaves before it; null: until every
 *     TEXT has arrived
 * @param limit the limit that servers are expected to enforce, null for none
 * @param partitions of the servers' log, 1 to 64; used only by placement by partition
 * @param seed of users, texts, jitter and turnover; message ids never depend on it
 * @param timeout how long the run may make no progress before it is aborted, and how long storing may take
 */
public record Plan(
        String scenario,
        Numbering numbering,
        int roomsPerClient,
        Traffic traffic,
        Pacing sends,
        Arrivals arrivals,
        Guests guests,
        @Nullable Crowd crowd,
        boolean keepsConnections,
        int retries,
        @Nullable Duration duration,
        @Nullable Limit limit,
        Placement placement,
        int partitions,
        long seed,
        Duration timeout) {
    private static final int MAX_ROOMS_PER_CLIENT = 128;
    private static final int MAX_PARTITIONS = 64;

    public Plan {
        if (roomsPerClient < 1 || roomsPerClient > MAX_ROOMS_PER_CLIENT)
            throw new IllegalArgumentException("rooms per client must be 1 to " + MAX_ROOMS_PER_CLIENT);
        if (numbering.rooms() % roomsPerClient != 0)
            throw new IllegalArgumentException("rooms (" + numbering.rooms()
                    + ") must be a multiple of the rooms per client (" + roomsPerClient + ")");
        if (partitions < 1 || partitions > MAX_PARTITIONS)
            throw new IllegalArgumentException("partitions must be 1 to " + MAX_PARTITIONS);
        if (retries < 0) throw new IllegalArgumentException("retries must not be negative");
        if (duration != null && duration.compareTo(Duration.ofMillis(1)) < 0)
            throw new IllegalArgumentException("duration must be above 0");
        if (duration == null && arrivals.end() != null)
            throw new IllegalArgumentException("a plan whose members leave by themselves needs a duration");
        if (duration == null && guests.kind() == Guests.Kind.VISITORS)
            throw new IllegalArgumentException("a plan with visitors needs a duration");
        if (arrivals.end() != null && guests.misbehave())
            throw new IllegalArgumentException(
                    "slow readers and silent clients have no place in stages: these say who is connected");
        if (crowd != null && (duration == null || duration.compareTo(crowd.end()) < 0))
            throw new IllegalArgumentException("a plan with a crowd needs a duration of at least "
                    + crowd.end().toSeconds() + " s: to compare before, meanwhile and after");
        if (duration == null && limit != null)
            throw new IllegalArgumentException("a limit needs a duration, to know how much it lets through");
        if (timeout.compareTo(Duration.ofSeconds(1)) < 0)
            throw new IllegalArgumentException("timeout must be at least 1 second");
    }

    /**
     * The limit that the scenario {@code rate} tests.
     *
     * @param perSecond sustained rate of TEXTs admitted; 0: as announced by the server's WELCOME
     * @param burst TEXTs admitted at once after a pause
     * @param tolerance how far the admitted rate may deviate, as a share
     * @param shared whether the limit applies to all connections together; otherwise to each
     * @param pending TEXTs that may be queued; 0: TEXTs above the limit are rejected at once
     * @param longestWait the limit for the 99th percentile of admitted TEXTs' answers; null: none
     */
    public record Limit(
            double perSecond,
            int burst,
            double tolerance,
            boolean shared,
            int pending,
            @Nullable Duration longestWait) {
        public Limit {
            if (!(perSecond >= 0) || burst < 0 || !(tolerance > 0))
                throw new IllegalArgumentException(
                        "a limit needs a rate and a burst of at least 0, a tolerance above 0");
            if (pending < 0) throw new IllegalArgumentException("pending must not be negative");
            if (longestWait != null && longestWait.toMillis() < 1)
                throw new IllegalArgumentException("the longest wait must be at least 1 ms");
        }

        /** A limit per connection that rejects at once. */
        public Limit(double perSecond, int burst, double tolerance) {
            this(perSecond, burst, tolerance, false, 0, null);
        }

        /** How many such limits there are. */
        public int times(int connections) {
            return shared ? 1 : connections;
        }
    }

    public Users users() {
        return new Users(numbering, seed);
    }

    /** Number of groups of rooms that share their clients. */
    public int groups() {
        return numbering.rooms() / roomsPerClient;
    }

    /** Number of members' connections, without guests. */
    public int clients() {
        return groups() * numbering.users();
    }

    /** Whether all planned messages must be sent; otherwise messages may be left out for lack of time. */
    public boolean sendsAll() {
        return duration == null;
    }

    /**
     * Returns when a member's TEXT is due in an open loop, after the member's own beginning.
     *
     * @param member its index among all members of all rooms, which alternate
     */
    public long dueNanos(Pacing.Rate rate, int member, int sequence) {
        return rate.dueNanos((long) sequence * numbering.members() + member);
    }

    /**
     * Returns this plan with another size and pace, to warm up or to measure the maximum; never longer than this
     * plan.
     */
    public Plan with(String name, Numbering size, Pacing pace, @Nullable Duration time) {
        return new Plan(
                name,
                size,
                size.rooms() % roomsPerClient == 0 ? roomsPerClient : 1,
                Traffic.ofTexts(traffic.payload()),
                pace,
                arrivals.end() == null ? arrivals : Arrivals.Ramp.DEFAULT,
                Guests.NONE,
                null,
                false,
                retries,
                time,
                null,
                placement,
                partitions,
                seed,
                timeout);
    }

    /** Approximate number of bytes needed to record this plan's messages. */
    public long memoryBytes() {
        // An id's time, its announced position, its place and state, and the order; a member whose order differs
        // costs more.
        return numbering.total() * 29L + (clients() + guests.count()) * 6_000L;
    }
}
