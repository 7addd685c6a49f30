package chat.load.driver;

import chat.load.check.RoomHistory;
import chat.load.check.RunHistory;
import chat.load.plan.Backoff;
import chat.load.plan.Plan;
import chat.load.plan.RunIds;
import chat.load.report.Counters;
import chat.load.report.Latencies;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Runs a plan against chat servers: all members join, then all send, then all leave. Blocks its caller; the work is done by
 * a few event loops.
 */
public final class ChatRun {
    /** A message delivered twice may come late: this long we go on listening after everything is here. */
    private static final Duration SETTLE = Duration.ofMillis(300);

    private static final Duration LEAVE = Duration.ofSeconds(5);

    private final RunState run;
    private final List<RoomSession> rooms;
    private final List<Loop> loops;
    private @Nullable String stalled;

    private ChatRun(RunState run, int threads) {
        this.run = run;
        this.loops = new ArrayList<>(threads);
        for (int i = 0; i < threads; i++) loops.add(new Loop(run.sockets.nextLoop()));
        this.rooms = new ArrayList<>(run.plan.numbering().rooms());
        for (int i = 0; i < run.plan.numbering().rooms(); i++)
            rooms.add(new RoomSession(run, loops.get(i % threads), i));
    }

    /**
     * @param chatSeconds from the first TEXT until every member had received everything
     * @param sent which ids were sent, to know them again in storage
     */
    public record Result(
            RunHistory history, SentIds sent, Latencies latencies, double joinSeconds, double chatSeconds) {}

    /**
     * @param urls at least one; members begin on the one that the placement gives them and go on to the next after a loss
     * @param threads event loops
     * @param counters written while the run lasts
     */
    public static Result run(
            Plan plan, RunIds ids, List<ServerUrl> urls, int threads, Backoff backoff, Counters counters)
            throws InterruptedException {
        try (Sockets sockets = new Sockets(urls, threads)) {
            return new ChatRun(new RunState(plan, ids, sockets, counters, backoff), threads).run();
        } catch (SSLException noTls) {
            throw new IllegalStateException("TLS is not available: " + noTls.getMessage(), noTls);
        }
    }

    private Result run() throws InterruptedException {
        long begin = System.nanoTime();
        for (RoomSession room : rooms) room.loop.events.execute(room::connect);
        boolean whole = await(run.joined, "while members were joining");
        long joined = System.nanoTime();
        if (whole) {
            for (RoomSession room : rooms) room.loop.events.execute(room::start);
            whole = await(run.completeRooms, "while messages were on their way");
        }
        long chatted = System.nanoTime();
        if (whole) TimeUnit.NANOSECONDS.sleep(SETTLE.toNanos());
        for (RoomSession room : rooms) room.loop.events.execute(room::leave);
        boolean unused = run.left.await(LEAVE.toMillis(), TimeUnit.MILLISECONDS);

        List<RoomHistory> histories = new ArrayList<>(rooms.size());
        List<RoomIds> sent = new ArrayList<>(rooms.size());
        Latencies latencies = new Latencies();
        try {
            for (RoomSession room : rooms) {
                histories.add(room.loop.events.submit(room::history).get());
                sent.add(room.ids);
            }
            // Handed over through the loop, so that all it wrote is seen here.
            for (Loop loop : loops)
                latencies.add(loop.events.submit(() -> loop.latencies).get());
        } catch (ExecutionException bug) {
            throw new IllegalStateException("could not collect what happened", bug.getCause());
        }
        RunHistory history = new RunHistory(
                run.plan.numbering(), histories, aborted(), run.violations.examples(), run.violations.count());
        return new Result(
                history, new SentIds(sent), latencies, (joined - begin) / 1e9, whole ? (chatted - joined) / 1e9 : 0);
    }

    private List<String> aborted() {
        List<String> reasons = new ArrayList<>();
        String failure = run.failure();
        if (failure != null) reasons.add(failure);
        if (stalled != null) reasons.add(stalled);
        return reasons;
    }

    /** @return false where the run failed, or where nothing moved for the plan's timeout */
    private boolean await(CountDownLatch phase, String when) throws InterruptedException {
        long last = run.counters.progress();
        long lastNanos = System.nanoTime();
        while (!phase.await(50, TimeUnit.MILLISECONDS)) {
            if (run.failure() != null) return false;
            long now = System.nanoTime();
            long progress = run.counters.progress();
            if (progress != last) {
                last = progress;
                lastNanos = now;
            } else if (now - lastNanos > run.plan.timeout().toNanos()) {
                stalled = "nothing moved for " + run.plan.timeout().toSeconds() + " s " + when;
                return false;
            }
        }
        return run.failure() == null;
    }
}
