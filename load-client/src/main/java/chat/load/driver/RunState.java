package chat.load.driver;

import chat.load.dialect.Dialect;
import chat.load.dialect.Dialect.Feature;
import chat.load.plan.Backoff;
import chat.load.plan.Guests;
import chat.load.plan.Plan;
import chat.load.plan.RunIds;
import chat.load.plan.Texts;
import chat.load.report.Counters;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAccumulator;
import org.jspecify.annotations.Nullable;

/** What all rooms of a run share, and how they tell the run that a phase is over. Thread-safe. */
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
    /** Guests that have gone, and were never in. */
    final Violations neverWelcomed = new Violations();
    /** {@link System#nanoTime} when {@code ids} began. */
    final long startNanos;

    final CountDownLatch joined;
    final CountDownLatch completeRooms;
    final CountDownLatch misbehaving;
    /** Each visitor in each of its rooms. */
    final CountDownLatch visitorsWelcomed;

    final CountDownLatch left;
    /** TEXTs per second that servers let a session send, as their WELCOMEs say; below 0: they say nothing. */
    volatile double announcedRate = -1;

    /** When the first TEXT was to be sent, after the run's beginning; below 0: none was. */
    final AtomicLong firstSentNanos = new AtomicLong(-1);
    /** When the last TEXT so far was sent, after the run's beginning; kept only where there is a limit. */
    final LongAccumulator lastSentNanos = new LongAccumulator(Math::max, 0);
    /** When the first TEXT was refused, after the run's beginning; below 0: none was. */
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
        this.texts = new Texts(plan.numbering(), plan.payload(), plan.seed());
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

    boolean has(Feature feature) {
        return features.contains(feature);
    }

    /** Clients' arrivals count from now. */
    void beginConnecting() {
        connectNanos = elapsedNanos();
    }

    long connectNanos() {
        return connectNanos;
    }

    long elapsedNanos() {
        return System.nanoTime() - startNanos;
    }

    /** Nothing that follows can make this run whole: it ends now. */
    void fail(String why) {
        failure.compareAndSet(null, why);
    }

    @Nullable
    String failure() {
        return failure.get();
    }
}
