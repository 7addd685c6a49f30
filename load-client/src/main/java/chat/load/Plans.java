package chat.load;

import chat.load.plan.Arrivals;
import chat.load.plan.Crowd;
import chat.load.plan.Guests;
import chat.load.plan.Numbering;
import chat.load.plan.Pacing;
import chat.load.plan.Plan;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Builds a run's plan from the command-line options. */
final class Plans {
    private static final int DEFAULT_MESSAGES = 50;
    private static final double TOLERANCE = 0.01;
    private static final double OVERLOAD = 2;

    private final ChatOptions options;

    private Plans(ChatOptions options) {
        this.options = options;
    }

    /**
     * @param rate the measured rate in messages per second; 0 if the options determine the rate
     * @throws IllegalArgumentException if the options are invalid; the message says why
     */
    static Plan of(String scenario, ChatOptions options, double rate) {
        if (options.threads < 1) throw new IllegalArgumentException("threads must be at least 1");
        requireOnePace(options);
        Plan plan = new Plans(options).plan(scenario, rate);
        requireMemory(plan);
        OpenFiles.require(plan);
        Rehearsal.warmUps(options, plan).forEach(Plans::requireMemory);
        if (options.share != null) requireMemory(Rehearsal.maximum(plan));
        return plan;
    }

    private static void requireOnePace(ChatOptions options) {
        if ((options.rate == null ? 0 : 1) + (options.window == null ? 0 : 1) + (options.share == null ? 0 : 1) > 1)
            throw new IllegalArgumentException(
                    "a loop is closed by a window, or open by a rate or a share of the maximum: one of them");
        if (options.share != null && !(options.share > 0 && options.share <= 1))
            throw new IllegalArgumentException("a share must be above 0 and at most 1, not " + options.share);
    }

    private static void requireMemory(Plan plan) {
        long heap = Runtime.getRuntime().maxMemory();
        if (plan.memoryBytes() > heap * 3 / 4)
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "keeping track of %,d messages takes about %,d MB, and the heap has %,d: set LOAD_JAVA_OPTS=-Xmx…",
                    plan.numbering().total(),
                    plan.memoryBytes() >> 20,
                    heap >> 20));
    }

    private Plan plan(String scenario, double foundRate) {
        Arrivals arrivals = arrivals();
        Pacing sends = sends(foundRate);
        Duration duration = duration(arrivals);
        int users = users(arrivals);
        return new Plan(
                scenario,
                new Numbering(options.rooms, users, messages(sends, duration, users)),
                options.roomsPerClient,
                options.payload,
                sends,
                arrivals,
                guests(duration),
                options.crowd == 0
                        ? null
                        : new Crowd(
                                options.crowd, options.crowdAfter, options.crowdFor, options.keeps, options.recovers),
                options.keepConnections,
                options.turnover,
                options.retries,
                duration,
                limit(),
                options.placement,
                options.partitions,
                options.seed == null ? System.nanoTime() : options.seed,
                options.timeout);
    }

    private Plan.@Nullable Limit limit() {
        if (options.limit == null) return null;
        return new Plan.Limit(
                options.limit.perSecond(),
                options.burst,
                TOLERANCE,
                options.limitShared,
                options.pending,
                options.longestWait);
    }

    private Arrivals arrivals() {
        if (options.stages.isEmpty()) return new Arrivals.Ramp(new Pacing.Rate(options.connectRate));
        return new Arrivals.Stages(options.stages);
    }

    private Pacing sends(double foundRate) {
        if (foundRate > 0) return new Pacing.Rate(foundRate);
        if (options.rate != null) return new Pacing.Rate(options.rate);
        if (options.limit != null && options.window == null && options.limit.perSecond() > 0)
            return new Pacing.Rate(OVERLOAD
                    * options.limit.perSecond()
                    * (options.limitShared ? 1 : options.rooms * Math.max(1, options.users)));
        return new Pacing.Window(options.window == null ? 1 : options.window);
    }

    /** Stages end by themselves. */
    private @Nullable Duration duration(Arrivals arrivals) {
        Duration end = arrivals.end();
        return end != null ? end : options.duration;
    }

    private int users(Arrivals arrivals) {
        if (options.rooms < 1) throw new IllegalArgumentException("rooms must be at least 1");
        if (!(arrivals instanceof Arrivals.Stages stages)) return options.users;
        int groups = Math.max(1, options.rooms / Math.max(1, options.roomsPerClient));
        return Math.max(1, Math.ceilDiv(stages.peak(), groups));
    }

    private int messages(Pacing sends, @Nullable Duration duration, int users) {
        if (options.messages != null) return options.messages;
        if (!(sends instanceof Pacing.Rate rate)) {
            // Otherwise members would send everything at once and be silent for the rest of the duration.
            if (duration != null && !rateIsFoundOut())
                throw new IllegalArgumentException(
                        "a window with a duration needs messages: how many each member may send at most");
            return DEFAULT_MESSAGES;
        }
        if (duration == null)
            throw new IllegalArgumentException("a rate needs messages or a duration, to know when it is enough");
        double members = (double) options.rooms * users;
        return (int) Math.min(
                Integer.MAX_VALUE / Math.max(1, members),
                Math.ceil(rate.perSecond() * duration.toNanos() / 1e9 / members) + 1);
    }

    /** True if the rate is measured first; then this plan is not final. */
    private boolean rateIsFoundOut() {
        return options.share != null || (options.limit != null && options.window == null);
    }

    private Guests guests(@Nullable Duration duration) {
        int kinds = (options.visitors > 0 ? 1 : 0) + (options.slowReaders > 0 ? 1 : 0) + (options.silent > 0 ? 1 : 0);
        if (kinds > 1)
            throw new IllegalArgumentException("a run has visitors, slow readers or silent clients, one kind only");
        if (options.visitors > 0) {
            if (duration == null) throw new IllegalArgumentException("visitors need a duration");
            return Guests.visitors(options.visitors, options.stay, duration);
        }
        if (options.slowReaders > 0)
            return new Guests(Guests.Kind.SLOW_READERS, options.slowReaders, 0, Duration.ZERO, options.within);
        if (options.silent > 0) return new Guests(Guests.Kind.SILENT, options.silent, 0, Duration.ZERO, options.within);
        return Guests.NONE;
    }
}
