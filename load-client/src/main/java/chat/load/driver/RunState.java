package chat.load.driver;

import chat.load.plan.Backoff;
import chat.load.plan.Plan;
import chat.load.plan.RunIds;
import chat.load.plan.Texts;
import chat.load.report.Counters;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** What all rooms of a run share, and how they tell the run that a phase is over. Thread-safe. */
final class RunState {
    final Plan plan;
    final RunIds ids;
    final Texts texts;
    final Sockets sockets;
    final Counters counters;
    final Backoff backoff;
    final Violations violations = new Violations();
    /** {@link System#nanoTime} when {@code ids} began. */
    final long startNanos;

    final CountDownLatch joined;
    final CountDownLatch completeRooms;
    final CountDownLatch left;
    private final AtomicReference<@Nullable String> failure = new AtomicReference<>();

    RunState(Plan plan, RunIds ids, Sockets sockets, Counters counters, Backoff backoff) {
        this.plan = plan;
        this.ids = ids;
        this.texts = new Texts(plan.numbering(), plan.payload(), plan.seed());
        this.sockets = sockets;
        this.counters = counters;
        this.backoff = backoff;
        this.startNanos = System.nanoTime();
        this.joined = new CountDownLatch(plan.numbering().members());
        this.completeRooms = new CountDownLatch(plan.numbering().rooms());
        this.left = new CountDownLatch(plan.numbering().members());
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
