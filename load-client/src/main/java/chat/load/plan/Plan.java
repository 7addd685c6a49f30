package chat.load.plan;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is to happen in one run, as data. Running it is the driver's part, judging it the checker's.
 *
 * @param scenario its name on the command line
 * @param roomsPerClient how many rooms each connection is in, 1 to 128; rooms come in groups of so many, and a client is in
 *     all rooms of its group
 * @param payload bytes of each text, at least, 1 to 500
 * @param sends how fast TEXTs are sent: by each member for itself in a closed loop, by all members together in an open one
 * @param arrivals when the members connect, and when they leave again
 * @param guests who listens besides the members
 * @param crowd who wants to come in meanwhile; null where nobody does
 * @param keepsConnections whether it fails where a member's connection is lost or refused
 * @param turnover how many times for each TEXT a member leaves and joins again, 0 to 1
 * @param retries how often a TEXT is offered again that a server refused for now
 * @param duration how long the chat lasts: nothing is sent after it, and nobody leaves before it. Null: until every TEXT
 *     has arrived
 * @param limit the limit that the servers are expected to keep, null where none
 * @param partitions of the servers' log, 1 to 64; only a placement by partition asks for it
 * @param seed of filler, jitter and turnover; ids never depend on it
 * @param timeout how long nothing at all may move forward before the run is given up, and how long storing may take
 */
public record Plan(
        String scenario,
        Numbering numbering,
        int roomsPerClient,
        int payload,
        Pacing sends,
        Arrivals arrivals,
        Guests guests,
        @Nullable Crowd crowd,
        boolean keepsConnections,
        double turnover,
        int retries,
        @Nullable Duration duration,
        @Nullable Limit limit,
        Placement placement,
        int partitions,
        long seed,
        Duration timeout) {
    private static final int MAX_PAYLOAD = 500;
    private static final int MAX_ROOMS_PER_CLIENT = 128;
    private static final int MAX_PARTITIONS = 64;

    public Plan {
        if (payload < 1 || payload > MAX_PAYLOAD)
            throw new IllegalArgumentException("payload must be 1 to " + MAX_PAYLOAD + " bytes");
        if (roomsPerClient < 1 || roomsPerClient > MAX_ROOMS_PER_CLIENT)
            throw new IllegalArgumentException("rooms per client must be 1 to " + MAX_ROOMS_PER_CLIENT);
        if (numbering.rooms() % roomsPerClient != 0)
            throw new IllegalArgumentException("rooms (" + numbering.rooms()
                    + ") must be a multiple of the rooms per client (" + roomsPerClient + ")");
        if (!(turnover >= 0 && turnover <= 1)) throw new IllegalArgumentException("turnover must be 0 to 1");
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
     * The limit that {@code rate} tries.
     *
     * @param perSecond TEXTs that are let through, sustained; 0: as the server's WELCOME tells
     * @param burst TEXTs let through at once, after a pause
     * @param tolerance how far the admitted rate may be off, as a share
     * @param shared whether that is for all connections together; else for each
     * @param pending TEXTs that may wait to be let through; 0: what comes too fast is refused at once
     * @param longestWait in which 99 of 100 that are let through have their answer; null: however long it takes
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

        /** For each connection; what comes too fast is refused at once. */
        public Limit(double perSecond, int burst, double tolerance) {
            this(perSecond, burst, tolerance, false, 0, null);
        }

        /** How often it is there. */
        public int times(int connections) {
            return shared ? 1 : connections;
        }
    }

    /** Groups of rooms that share their clients. */
    public int groups() {
        return numbering.rooms() / roomsPerClient;
    }

    /** Connections of members, without guests. */
    public int clients() {
        return groups() * numbering.users();
    }

    /** Whether whatever was planned has to be sent; else what time did not allow for is no fault. */
    public boolean sendsAll() {
        return duration == null;
    }

    /**
     * In an open loop, when a member's TEXT is meant to be sent, after the member's own beginning.
     *
     * @param member its number among all members of all rooms: they take turns
     */
    public long dueNanos(Pacing.Rate rate, int member, int sequence) {
        return rate.dueNanos((long) sequence * numbering.members() + member);
    }

    /** The same with other sizes and pace, to warm up or to find the maximum; never longer than itself. */
    public Plan with(String name, Numbering size, Pacing pace, @Nullable Duration time) {
        return new Plan(
                name,
                size,
                size.rooms() % roomsPerClient == 0 ? roomsPerClient : 1,
                payload,
                pace,
                arrivals.end() == null ? arrivals : Arrivals.Ramp.DEFAULT,
                Guests.NONE,
                null,
                false,
                0,
                retries,
                time,
                null,
                placement,
                partitions,
                seed,
                timeout);
    }

    /** Bytes that recording this plan's messages takes, about. */
    public long memoryBytes() {
        // An id's time, its announced position, its place and state, and the order; a member that disagrees costs more.
        return numbering.total() * 29L + (clients() + guests.count()) * 6_000L;
    }
}
