package chat.launcher.chaos;

import chat.launcher.chaos.Outcome.Times;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Injects faults into a platform under load, one after the other. Each fault has its own load, whose clients resend and
 * resume; it compares afterwards what they sent, what was accepted, what each of them received and what is stored.
 */
public final class ChaosRun {
    private static final int ROOMS = 20;
    private static final int USERS = 3;

    private final Target target;
    private final int rate;
    private final Timing timing;
    private final RandomGenerator random;
    private int number;

    /**
     * @param target runs
     * @param rate messages per second of the load
     * @param random chooses moments
     */
    public ChaosRun(Target target, int rate, Timing timing, RandomGenerator random) {
        this.target = target;
        this.rate = rate;
        this.timing = timing;
        this.random = random;
    }

    /**
     * Injects a fault and returns its outcome.
     *
     * @throws ChaosFailure if the platform does not recover within two minutes
     */
    public Outcome inject(CatalogueEntry entry) throws InterruptedException {
        number++;
        String name = String.format(Locale.ROOT, "%03d-%s", number, entry.name());
        Path folder = target.logs().resolve(name);
        Path log = target.logs().resolve(name + ".log");
        Duration before =
                timing.before().plusMillis(random.nextLong(timing.before().toMillis()));
        Duration planned = before.plus(entry.hold()).plus(Collections.min(List.of(entry.repair(), timing.repair())));
        // New probes for each fault: HAProxy distributes them as it distributes the clients of the load.
        try (Probes probes = new Probes(target.proxy(), target.partitions())) {
            probes.awaitWell();
            try (LoadRun load = LoadRun.start(target.programs(), log, "fanout", arguments(folder, planned))) {
                List<String> complaints = new ArrayList<>();
                awaitConnected(load);
                TimeUnit.MILLISECONDS.sleep(before.toMillis());
                Fault fault = entry.fault().get();
                if (!load.isRunning()) complaints.add("the load ended before the fault: see " + log);
                Instant when = Instant.now();
                probes.begin();
                fault.inject();
                TimeUnit.MILLISECONDS.sleep(entry.hold().toMillis());
                long ended = System.nanoTime();
                fault.heal();
                long healed = System.nanoTime();
                probes.awaitAccepted();
                Duration back = Duration.ofNanos(System.nanoTime() - healed);
                probes.recover();
                probes.awaitWell();
                Duration recovery = Duration.ofNanos(System.nanoTime() - ended);
                complaints.addAll(fault.complaints());
                int result = load.result(planned.plus(Waiting.PATIENCE));
                if (result != 0) complaints.add("the load exited with code " + result + ": see " + log);
                Times times = times(LoadSeconds.read(folder), probes.seen(), recovery, back, when);
                for (Bound bound : entry.bounds())
                    bound.complaint().apply(times).ifPresent(complaints::add);
                return new Outcome(entry, Counts.read(folder), times, List.copyOf(complaints), folder);
            }
        }
    }

    /** The load begins to send when all members have joined; its own output is only written every 5 s. */
    private void awaitConnected(LoadRun load) throws InterruptedException {
        int clients = ROOMS * USERS + target.partitions(); // and the probes
        Waiting.until("the load to connect", () -> target.sessions() >= clients || !load.isRunning());
    }

    private static Times times(LoadSeconds load, RoomProbe.Seen seen, Duration recovery, Duration back, Instant when) {
        return new Times(
                seen.silence(),
                recovery,
                seen.refusal(),
                load.refusals(),
                back,
                seen.after(),
                load.untilAllAreConnected(when),
                load.untilLatencyIsAsBefore(when),
                seen.behind());
    }

    /**
     * Returns options for an open-loop load in 20 rooms that retries rejected messages, for up to two minutes without
     * progress.
     */
    private List<String> arguments(Path folder, Duration duration) {
        long messages = rate * duration.toSeconds() / (ROOMS * USERS) + 1;
        return List.of(
                "--rooms=" + ROOMS,
                "--users=" + USERS,
                "--messages=" + messages,
                "--rate=" + rate,
                "--duration=" + duration.toSeconds() + "s",
                "--retries=200",
                "--timeout=2m",
                "--out=" + folder,
                "--url=ws://127.0.0.1:" + target.proxy().getPort());
    }

    /**
     * Compares the databases.
     *
     * @return failed checks, for people
     */
    public List<String> compareDatabases() throws InterruptedException {
        return new Databases(target).compare();
    }
}
