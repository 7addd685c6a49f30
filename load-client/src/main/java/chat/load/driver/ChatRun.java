package chat.load.driver;

import chat.load.check.RoomHistory;
import chat.load.check.RunHistory;
import chat.load.check.Verdict.Check;
import chat.load.dialect.Dialect;
import chat.load.plan.Arrivals;
import chat.load.plan.Backoff;
import chat.load.plan.Crowd;
import chat.load.plan.Plan;
import chat.load.plan.RunIds;
import chat.load.report.Counters;
import chat.load.report.Latencies;
import chat.load.report.MessageLines;
import chat.load.report.Samples;
import chat.load.report.TenSecondCounts;
import chat.load.report.Throughput;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Runs a plan against chat servers: members join, send and leave as planned. Blocks its caller; a few event loops do
 * the work.
 */
public final class ChatRun {
    /** How long to keep listening after everything has arrived, because duplicates may arrive late. */
    private static final Duration SETTLE = Duration.ofMillis(300);

    /** How long connections may take to close, after the LEAVEs. */
    private static final Duration CLOSE = Duration.ofSeconds(5);

    /** A longer interval between two checks means that this process itself was paused. */
    private static final long LONGEST_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final RunState run;
    private final Surroundings around;
    private final List<Group> groups;
    private final List<Room> rooms = new ArrayList<>();
    private final List<Loop> loops;
    private @Nullable CrowdClients crowd;
    private @Nullable String stalled;

    private ChatRun(RunState run, Surroundings around) {
        this.run = run;
        this.around = around;
        this.loops = new ArrayList<>(around.threads());
        for (int i = 0; i < around.threads(); i++)
            loops.add(new Loop(run.sockets.nextLoop(), run.dialect, around.lines()));
        this.groups = new ArrayList<>(run.plan.groups());
        for (int i = 0; i < run.plan.groups(); i++) {
            Group group = new Group(run, loops.get(i % loops.size()), i);
            groups.add(group);
            rooms.addAll(group.rooms);
        }
    }

    /**
     * Inputs of a run besides its plan.
     *
     * @param urls at least one; the placement selects a client's first server, and after a loss it continues with the
     *     next
     * @param threads number of event loops
     * @param counters updated during the run, like {@code samples} and {@code lines}
     * @param zeroNanos {@link System#nanoTime} of second 0 of {@code samples}
     * @param lines receives a line per message, null for none
     * @param storage queried for the time from frame to row, null if storage is not checked
     * @param phase receives the name of each phase when it begins
     */
    public record Surroundings(
            Dialect dialect,
            List<ServerUrl> urls,
            int threads,
            Backoff backoff,
            Counters counters,
            Samples samples,
            long zeroNanos,
            @Nullable MessageLines lines,
            @Nullable HistoryReader storage,
            Consumer<String> phase) {}

    /**
     * @param seconds from the first message to the last answer, 0 if nothing was sent
     * @param inFlightSeconds how long all its TEXTs together were unanswered
     */
    public record RoomFigures(
            String room, int sent, int accepted, long deliveries, double seconds, double inFlightSeconds) {}

    /**
     * @param name of the run; the names of its rooms begin with it
     * @param sent the ids sent, to recognize them in storage
     * @param chatSeconds from the first TEXT until every member had received everything
     * @param chatCpuSeconds CPU time of all event loops in that time, kernel included
     * @param endNanos {@link System#nanoTime} of the end of the chat
     * @param expectations checks of the plan's expectations, besides message loss
     * @param notes remarks for the report
     * @param announcedRate TEXTs per second that servers allow a session; below 0 if they announce none
     */
    public record Result(
            String name,
            RunHistory history,
            SentIds sent,
            Latencies latencies,
            Throughput throughput,
            List<RoomFigures> rooms,
            double joinSeconds,
            double chatSeconds,
            double chatCpuSeconds,
            long endNanos,
            List<Check> expectations,
            List<String> notes,
            double announcedRate) {}

    public static Result run(Plan plan, RunIds ids, Surroundings around) throws InterruptedException {
        try (Sockets sockets = new Sockets(around.urls(), around.threads())) {
            return new ChatRun(
                            new RunState(plan, around.dialect(), ids, sockets, around.counters(), around.backoff()),
                            around)
                    .run();
        } catch (SSLException noTls) {
            throw new IllegalStateException("TLS is not available: " + noTls.getMessage(), noTls);
        }
    }

    private Result run() throws InterruptedException {
        try (Timeline timeline = new Timeline(run.counters, loops, around.samples(), around.zeroNanos())) {
            timeline.start();
            around.phase().accept("connect");
            // If members arrive and depart as planned, the chat does not wait for all of them to join.
            boolean atOnce = !(run.plan.arrivals() instanceof Arrivals.Ramp);
            if (atOnce) onLoops(Group::start);
            run.beginConnecting();
            long begin = run.startNanos + run.connectNanos();
            onLoops(Group::connect);
            boolean whole = await(run.joined, "while members were joining", 0);
            long joined = atOnce ? begin : System.nanoTime();
            long cpuBefore = cpuNanos();
            RowWatch rows = null;
            if (whole) {
                around.phase().accept("chat");
                if (!atOnce) onLoops(Group::start);
                rows = watchRows();
                whole = chat(joined);
            }
            long chatted = System.nanoTime();
            double cpuSeconds = (cpuNanos() - cpuBefore) / 1e9;
            around.phase().accept(around.storage() == null ? "end" : "storage");
            if (whole) awaitVisitors();
            if (whole) TimeUnit.NANOSECONDS.sleep(SETTLE.toNanos());
            if (rows != null) rows.finish(whole ? run.plan.timeout() : Duration.ZERO);
            onLoops(whole ? Group::leave : Group::abort);
            boolean unused = run.left.await(
                    CLOSE.toNanos() + (whole ? Client.patienceNanos(run.plan) : 0), TimeUnit.NANOSECONDS);
            double chatSeconds = whole ? (chatted - joined) / 1e9 : 0;
            return result(timeline.finish(), (joined - begin) / 1e9, chatSeconds, cpuSeconds, chatted);
        }
    }

    private @Nullable RowWatch watchRows() {
        HistoryReader storage = around.storage();
        return storage == null ? null : new RowWatch(run, storage, rooms);
    }

    /** @return whether everything completed */
    private boolean chat(long beginNanos) throws InterruptedException {
        Duration duration = run.plan.duration();
        startCrowd();
        if (duration != null) {
            long end = beginNanos + duration.toNanos();
            while (run.failure() == null && System.nanoTime() < end)
                TimeUnit.NANOSECONDS.sleep(Math.clamp(end - System.nanoTime(), 0, 50_000_000));
            onLoops(Group::stopSending);
        }
        long grace = run.plan.guests().misbehave()
                ? run.plan.guests().within().toNanos() + MisbehaviourProbe.DRAIN_NANOS
                : 0;
        return await(run.completeRooms, "while messages were on their way", 0)
                && await(run.misbehaving, "while clients that misbehave were to be closed", grace);
    }

    /** Visitors that arrived at the end of the chat may still be welcomed. */
    private void awaitVisitors() throws InterruptedException {
        long patience = Math.min(Client.LAST_ANSWERS_NANOS, run.plan.timeout().toNanos());
        boolean unused = run.visitorsWelcomed.await(patience, TimeUnit.NANOSECONDS);
    }

    private void startCrowd() {
        Crowd planned = run.plan.crowd();
        if (planned == null) return;
        SecondCounts accepted = new SecondCounts(run.counters.accepted::sum);
        accepted.start(loops.getFirst());
        crowd = new CrowdClients(run, planned, loops, accepted);
        crowd.start();
    }

    /** CPU time that all event loops have used so far. */
    private long cpuNanos() throws InterruptedException {
        long sum = 0;
        try {
            for (Loop loop : loops)
                sum += loop.events
                        .submit(() -> THREADS.getCurrentThreadCpuTime())
                        .get();
        } catch (ExecutionException bug) {
            throw new IllegalStateException("could not ask for CPU time", bug.getCause());
        }
        return sum;
    }

    private void onLoops(Consumer<Group> task) {
        for (Group group : groups) group.loop.events.execute(() -> task.accept(group));
    }

    private Result result(Latencies latencies, double joinSeconds, double chatSeconds, double cpuSeconds, long endNanos)
            throws InterruptedException {
        List<RoomHistory> histories = new ArrayList<>(rooms.size());
        List<RoomFigures> figures = new ArrayList<>(rooms.size());
        List<RoomIds> sent = new ArrayList<>(rooms.size());
        try {
            // Runs on the event loop, so that all its writes are visible here.
            for (Room room : rooms) {
                histories.add(room.loop.events.submit(room::history).get());
                figures.add(room.loop.events.submit(room::figures).get());
                sent.add(room.ids);
            }
        } catch (ExecutionException bug) {
            throw new IllegalStateException("could not collect what happened", bug.getCause());
        }
        RunHistory history = new RunHistory(
                run.plan.numbering(),
                new RunHistory.Allowed(
                        !run.plan.sendsAll(), run.plan.limit() != null, !run.has(Dialect.Feature.ONE_ORDER)),
                histories,
                aborted(),
                run.violations.examples(),
                run.violations.count());
        return new Result(
                run.ids.runName(),
                history,
                new SentIds(sent),
                latencies,
                throughput(figures, endNanos),
                figures,
                joinSeconds,
                chatSeconds,
                cpuSeconds,
                endNanos,
                Expectations.of(run, crowd, chatSeconds, latencies),
                notes(),
                run.announcedRate);
    }

    private Throughput throughput(List<RoomFigures> figures, long endNanos) throws InterruptedException {
        TenSecondCounts counts = new TenSecondCounts();
        try {
            for (Loop loop : loops)
                counts.add(loop.events.submit(() -> loop.counts).get());
        } catch (ExecutionException bug) {
            throw new IllegalStateException("could not collect counts", bug.getCause());
        }
        long begin = run.startNanos + run.firstSentNanos.get();
        boolean sent = run.firstSentNanos.get() >= 0;
        return new Throughput(
                sent ? Math.max(0, begin - around.zeroNanos()) / 1e9 : 0,
                sent ? Math.max(0, endNanos - begin) / 1e9 : 0,
                counts,
                figures.stream().mapToDouble(RoomFigures::inFlightSeconds).sum());
    }

    private List<String> notes() {
        List<String> notes = new ArrayList<>(
                run.misbehaved.stream().map(Misbehaviour::toString).toList());
        if (crowd != null) notes.addAll(crowd.notes());
        return notes;
    }

    private List<String> aborted() {
        List<String> reasons = new ArrayList<>();
        String failure = run.failure();
        if (failure != null) reasons.add(failure);
        if (stalled != null) reasons.add(stalled);
        return reasons;
    }

    /**
     * @param graceNanos time without progress that is allowed in addition to the plan's timeout
     * @return false if the run failed, or made no progress for the plan's timeout
     */
    private boolean await(CountDownLatch phase, String when, long graceNanos) throws InterruptedException {
        long last = run.counters.progress();
        long lookedNanos = System.nanoTime();
        long stoodNanos = -graceNanos;
        while (!phase.await(50, TimeUnit.MILLISECONDS)) {
            if (run.failure() != null) return false;
            long now = System.nanoTime();
            stoodNanos += Math.min(now - lookedNanos, LONGEST_LOOK_NANOS);
            lookedNanos = now;
            long progress = run.counters.progress();
            if (progress != last) {
                last = progress;
                stoodNanos = Math.min(stoodNanos, 0);
            } else if (stoodNanos > run.plan.timeout().toNanos()) {
                stalled = "nothing moved for " + run.plan.timeout().toSeconds() + " s " + when;
                return false;
            }
        }
        return run.failure() == null;
    }
}
