package chat.load.plan;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Holds what a user asks for, and builds the plan from it: derives what is left open and rejects contradictions. Plan
 * and its parts check the ranges of single values.
 *
 * @param users members of each room; ignored if arrivals are stages, whose peak determines the number
 * @param messages TEXTs of each member; null: a default, or in an open loop as many as fit into the duration
 * @param duration length of the chat; null: until every TEXT has arrived; ignored if arrivals are stages
 * @param guests listeners besides the members, of one kind at most
 * @param crowd clients that try to connect during the chat; null for none
 * @param limit the limit that servers are expected to enforce; null for none
 * @param warmUp runs before the plan's
 * @see Plan
 */
public record PlanSettings(
        int rooms,
        int users,
        @Nullable Integer messages,
        int roomsPerClient,
        Traffic traffic,
        Pace pace,
        @Nullable Duration duration,
        boolean keepsConnections,
        Arrivals arrivals,
        GuestSettings guests,
        @Nullable Crowd crowd,
        Plan.@Nullable Limit limit,
        int retries,
        Placement placement,
        int partitions,
        long seed,
        Duration timeout,
        WarmUp warmUp) {
    private static final int DEFAULT_MESSAGES = 50;
    /** Twice the limit, so that the server has to reject half. */
    public static final double OVERLOAD = 2;

    /**
     * How fast members send: a closed loop with a window, or an open loop with a rate. If all are null, a limit
     * determines the rate, or else the window is 1.
     *
     * @param window messages of a member that may be in flight
     * @param rate messages per second of all members together
     * @param share the rate as a share of the measured maximum, above 0 and at most 1
     */
    public record Pace(
            @Nullable Integer window,
            @Nullable Double rate,
            @Nullable Double share) {
        public Pace {
            if ((rate == null ? 0 : 1) + (window == null ? 0 : 1) + (share == null ? 0 : 1) > 1)
                throw new IllegalArgumentException(
                        "a loop is closed by a window, or open by a rate or a share of the maximum: one of them");
            if (share != null && !(share > 0 && share <= 1))
                throw new IllegalArgumentException("a share must be above 0 and at most 1, not " + share);
        }
    }

    /**
     * @param visitors arrivals per second, each for the time {@code stay}
     * @param slowReaders number of clients that stop reading
     * @param silent number of clients that never answer a ping
     * @param within deadline for a server to close slow readers and silent clients
     */
    public record GuestSettings(double visitors, Duration stay, int slowReaders, int silent, Duration within) {
        private Guests guests(@Nullable Duration duration) {
            int kinds = (visitors > 0 ? 1 : 0) + (slowReaders > 0 ? 1 : 0) + (silent > 0 ? 1 : 0);
            if (kinds > 1)
                throw new IllegalArgumentException("a run has visitors, slow readers or silent clients, one kind only");
            if (visitors > 0) {
                if (duration == null) throw new IllegalArgumentException("visitors need a duration");
                return Guests.visitors(visitors, stay, duration);
            }
            if (slowReaders > 0) return new Guests(Guests.Kind.SLOW_READERS, slowReaders, 0, Duration.ZERO, within);
            if (silent > 0) return new Guests(Guests.Kind.SILENT, silent, 0, Duration.ZERO, within);
            return Guests.NONE;
        }
    }

    /**
     * Builds the plan of a scenario.
     *
     * @param measuredRate in messages per second; 0 if these settings determine the rate
     * @throws IllegalArgumentException if the settings are invalid; the message says why
     */
    public Plan plan(String scenario, double measuredRate) {
        if (rooms < 1) throw new IllegalArgumentException("rooms must be at least 1");
        Pacing sends = sends(measuredRate);
        // Stages end by themselves.
        Duration end = arrivals.end();
        Duration length = end != null ? end : duration;
        int members = members();
        return new Plan(
                scenario,
                new Numbering(rooms, members, messages(sends, length, members)),
                roomsPerClient,
                traffic,
                sends,
                arrivals,
                guests.guests(length),
                crowd,
                keepsConnections,
                retries,
                length,
                limit,
                placement,
                partitions,
                seed,
                timeout);
    }

    private Pacing sends(double measuredRate) {
        if (measuredRate > 0) return new Pacing.Rate(measuredRate);
        if (pace.rate() != null) return new Pacing.Rate(pace.rate());
        if (limit != null && pace.window() == null && limit.perSecond() > 0)
            return new Pacing.Rate(OVERLOAD * limit.perSecond() * limit.times(rooms * Math.max(1, users)));
        return new Pacing.Window(pace.window() == null ? 1 : pace.window());
    }

    private int members() {
        if (!(arrivals instanceof Arrivals.Stages stages)) return users;
        int groups = Math.max(1, rooms / Math.max(1, roomsPerClient));
        return Math.max(1, Math.ceilDiv(stages.peak(), groups));
    }

    private int messages(Pacing sends, @Nullable Duration length, int members) {
        if (messages != null) return messages;
        if (!(sends instanceof Pacing.Rate rate)) {
            // Otherwise members would send everything at once and be silent for the rest of the duration.
            if (length != null && !measuresRate())
                throw new IllegalArgumentException(
                        "a window with a duration needs messages: how many each member may send at most");
            return DEFAULT_MESSAGES;
        }
        if (length == null)
            throw new IllegalArgumentException("a rate needs messages or a duration, to know when it is enough");
        double senders = (double) rooms * members;
        return (int) Math.min(
                Integer.MAX_VALUE / Math.max(1, senders),
                Math.ceil(rate.perSecond() * length.toNanos() / 1e9 / senders) + 1);
    }

    /** True if the rate is measured first; then this plan is not final. */
    private boolean measuresRate() {
        return pace.share() != null || (limit != null && pace.window() == null);
    }
}
