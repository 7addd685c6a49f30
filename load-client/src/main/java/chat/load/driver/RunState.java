package chat.load.driver;

import chat.load.dialect.Dialect;
import chat.load.dialect.Dialect.Feature;
import chat.load.plan.Backoff;
import chat.load.plan.Guests;
import chat.load.plan.Plan;
import chat.load.plan.RunIds;
import chat.load.plan.Texts;
import chat.load.report.Counters;
import chat.load.report.TenSecondCounts.Event;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAccumulator;
import org.jspecify.annotations.Nullable;

/** Holds state that all rooms of a run share, and signals the end of phases. Thread-safe. */
final class RunState {
    final Plan plan;
    final Dialect dialect;
    final RunIds ids;
    final Texts texts;
    final Sockets sockets;
    final Counters counters;
    final Backoff backoff;
    final Violations violations = new Violations();
    final List<Misbehaviour> misbehaved = new CopyOnWriteArrayList<>();
    /** Guests that left without ever being welcomed. */
    final Violations neverWelcomed = new Violations();
    /** {@link System#nanoTime} when {@code ids} began. */
    final long startNanos;

    final CountDownLatch joined;
    final CountDownLatch completeRooms;
    final CountDownLatch misbehaving;
    /** One count per visitor and room. */
    final CountDownLatch visitorsWelcomed;

    final CountDownLatch left;
    /** TEXTs per second that servers allow a session, from WELCOME; below 0 if they announce none. */
    volatile double announcedRate = -1;

    /** Intended send time of the first TEXT, after the run's beginning; below 0: none. */
    final AtomicLong firstSentNanos = new AtomicLong(-1);
    /** Send time of the last TEXT, after the run's beginning; recorded only if there is a limit. */
    final LongAccumulator lastSentNanos = new LongAccumulator(Math::max, 0);
    /** Time of the first rejected TEXT, after the run's beginning; below 0: none. */
    final AtomicLong firstRefusedNanos = new AtomicLong(-1);

    /** When clients began to connect, after the run's beginning. */
    private volatile long connectNanos;

    private final Set<Feature> features;
    private final AtomicReference<@Nullable String> failure = new AtomicReference<>();

    RunState(Plan plan, Dialect dialect, RunIds ids, Sockets sockets, Counters counters, Backoff backoff) {
        this.plan = plan;
        this.dialect = dialect;
        this.features = dialect.features();
        this.ids = ids;
        this.texts = new Texts(plan);
        this.sockets = sockets;
        this.counters = counters;
        this.backoff = backoff;
        this.startNanos = System.nanoTime();
        int misbehave = plan.guests().misbehave() ? plan.guests().count() : 0;
        this.joined = new CountDownLatch(
                plan.arrivals().end() == null ? (plan.clients() + misbehave) * plan.roomsPerClient() : 0);
        this.completeRooms = new CountDownLatch(plan.numbering().rooms());
        this.misbehaving = new CountDownLatch(misbehave);
        this.visitorsWelcomed = new CountDownLatch(
                plan.guests().kind() == Guests.Kind.VISITORS ? plan.guests().count() * plan.roomsPerClient() : 0);
        this.left = new CountDownLatch(plan.clients() + plan.guests().count());
    }

    /**
     * Counts events by their time since the first send.
     *
     * @param runNanos when they happened, after the run's beginning
     */
    void count(Loop loop, Event event, int more, long runNanos) {
        loop.counts.add(event, more, runNanos - firstSentNanos.get());
    }

    boolean has(Feature feature) {
        return features.contains(feature);
    }

    /** Clients' arrival times count from now. */
    void beginConnecting() {
        connectNanos = elapsedNanos();
    }

    long connectNanos() {
        return connectNanos;
    }

    long elapsedNanos() {
        return System.nanoTime() - startNanos;
    }

    /** Ends the run now, because it cannot complete. */
    void fail(String why) {
        failure.compareAndSet(null, why);
    }

    @Nullable
    String failure() {
        return failure.get();
    }
}
