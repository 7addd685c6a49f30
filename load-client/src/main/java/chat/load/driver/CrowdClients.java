package chat.load.driver;

import chat.load.check.Verdict.Check;
import chat.load.dialect.Identity;
import chat.load.plan.Crowd;
import chat.load.plan.Users;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.jspecify.annotations.Nullable;

/**
 * Drives the {@link Crowd} of a run. Each of its clients requests a socket, is rejected, waits for the time the
 * server requests or else with full jitter, and tries again. An admitted client sends nothing and leaves at once.
 * Thread-safe.
 */
final class CrowdClients {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    final LongAdder attempts = new LongAdder();
    /** Attempts answered by an HTTP status. */
    final LongAdder refused = new LongAdder();
    /** Attempts that ended otherwise: no connection, no answer. */
    final LongAdder unanswered = new LongAdder();

    final LongAdder admitted = new LongAdder();

    /** Microseconds from the beginning of an attempt to its rejection. */
    private final ConcurrentHistogram refusals = new ConcurrentHistogram(TimeUnit.MINUTES.toMicros(1), 3);

    private final RunState run;
    private final Crowd crowd;
    private final List<Loop> loops;
    private final SecondCounts accepted;
    private volatile boolean over;

    CrowdClients(RunState run, Crowd crowd, List<Loop> loops, SecondCounts accepted) {
        this.run = run;
        this.crowd = crowd;
        this.loops = loops;
        this.accepted = accepted;
    }

    /** The chat has begun. */
    void start() {
        for (int i = 0; i < crowd.clients(); i++) {
            Loop loop = loops.get(i % loops.size());
            CrowdClient client = new CrowdClient(loop, i);
            loop.after(crowd.after().toNanos() + i * SECOND / crowd.clients(), client::connect);
        }
        loops.getFirst().after(crowd.after().plus(crowd.length()).toNanos(), () -> over = true);
    }

    List<Check> checks() {
        CrowdImpact impact = CrowdImpact.of(crowd, accepted);
        return List.of(
                Expectations.check(
                        String.format(
                                Locale.ROOT,
                                "members kept %.0f %% of their throughput during the crowd",
                                100 * crowd.keeps()),
                        impact.kept() >= crowd.keeps() ? 0 : 1,
                        List.of(String.format(
                                Locale.ROOT, "%,.0f messages/s of %,.0f/s", impact.during(), impact.before()))),
                Expectations.check(
                        "members were as fast as before " + crowd.recovers().toSeconds() + " s after the crowd",
                        impact.recoveredSeconds() > 0 ? 0 : 1,
                        List.of("no second of them was")),
                Expectations.check(
                        "whoever of the crowd asked was answered",
                        unanswered.sum(),
                        List.of(unanswered.sum() + " attempts were not")),
                Expectations.check(
                        "no member lost its connection",
                        run.counters.reconnects.sum(),
                        List.of(run.counters.reconnects.sum() + " connections were lost")));
    }

    List<String> notes() {
        List<String> notes = new ArrayList<>();
        CrowdImpact impact = CrowdImpact.of(crowd, accepted);
        notes.add(String.format(
                Locale.ROOT,
                "a crowd of %,d asked %,d times in %d s: %,d refused (p50 %.1f ms, p99 %.1f ms), %,d without an answer, %,d let in",
                crowd.clients(),
                attempts.sum(),
                crowd.length().toSeconds(),
                refused.sum(),
                refusals.getValueAtPercentile(50) / 1000.0,
                refusals.getValueAtPercentile(99) / 1000.0,
                unanswered.sum(),
                admitted.sum()));
        notes.add(String.format(
                Locale.ROOT,
                "members: %,.0f messages/s before it, %,.0f/s meanwhile (%.1f %%), %s",
                impact.before(),
                impact.during(),
                100 * impact.kept(),
                impact.recoveredSeconds() < 0
                        ? "not as fast as before in time"
                        : "as fast as before in second " + impact.recoveredSeconds() + " after it"));
        return notes;
    }

    /** One client of the crowd; confined to its loop. */
    private final class CrowdClient implements ChatSocket.Listener {
        private final Loop loop;
        private final int url;
        private final String path;
        private final Identity identity;
        private final Random random;
        private int attempt;
        private long sinceNanos;
        private boolean opened;
        private @Nullable ChatSocket socket;

        CrowdClient(Loop loop, int number) {
            this.loop = loop;
            this.url = number % run.sockets.urls();
            int room = number % run.plan.numbering().rooms();
            String roomId = run.plan.traffic().roomName(run.ids, room);
            this.path = run.dialect.path(roomId);
            Users users = run.plan.users();
            this.identity = new Identity(roomId, users.id(room, 0), users.name(room, 0));
            this.random = new Random(run.plan.seed() + number);
        }

        void connect() {
            if (over) return;
            attempts.increment();
            opened = false;
            sinceNanos = System.nanoTime();
            socket = run.sockets.open(
                    loop.events, url, path, run.dialect, run.dialect.token(identity), false, true, this);
        }

        @Override
        public void opened() {
            opened = true;
            admitted.increment();
            ChatSocket open = socket;
            if (open != null) open.close();
        }

        @Override
        public void ended(Ending ending) {
            if (ending.isHttpStatus()) {
                refused.increment();
                refusals.recordValue(Math.min(
                        refusals.getHighestTrackableValue(),
                        TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - sinceNanos)));
            } else if (!opened) unanswered.increment();
            long requested = ending.retryAfterMillis();
            // Adds jitter: clients with the same Retry-After would return at the same moment.
            long millis = requested > 0
                    ? requested + random.nextInt(1000)
                    : run.backoff.delayMillis(attempt++, random.nextDouble());
            loop.after(TimeUnit.MILLISECONDS.toNanos(millis), this::connect);
        }

        @Override
        public void controlFrame() {}

        @Override
        public void frame(ByteBuf payload) {}
    }
}
