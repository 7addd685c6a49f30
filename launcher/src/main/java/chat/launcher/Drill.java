package chat.launcher;

import chat.launcher.Fault.Bound;
import chat.protocol.RoomId;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Injects faults into a platform under load, one after the other, and measures how long each affects clients. Each
 * fault has its own load, which succeeds only if no accepted message was lost, duplicated or reordered.
 */
final class Drill implements AutoCloseable {
    /** Timeout of every wait. */
    static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final int ROOMS = 20;
    private static final int USERS = 3;
    private static final long POLL_MILLIS = 100;

    /**
     * Describes the load of each step.
     *
     * @param rate messages per second
     * @param duration planned duration; the load lasts longer if the step does
     * @param before time from the start of the load to the fault
     */
    record Load(int rate, Duration duration, Duration before) {}

    /**
     * Holds the result of a step. Times start at the fault unless stated otherwise.
     *
     * @param complaints failed checks, for people
     * @param sent messages sent by the load
     * @param back time from the end of the fault until each partition had accepted a message
     * @param connected time from the first disconnected member until all members were connected again
     * @param latency time from the first slow second until the load's p99 was back to normal
     * @param refusals number of messages rejected
     * @param whole time until all probes worked again
     * @param log log file of the load
     */
    record Outcome(
            List<String> complaints,
            long sent,
            RoomProbe.Seen seen,
            Duration back,
            Duration connected,
            Duration latency,
            long refusals,
            Duration whole,
            Path log) {
        boolean passed() {
            return complaints.isEmpty();
        }

        private Outcome and(List<String> further) {
            List<String> all = new ArrayList<>(complaints);
            all.addAll(further);
            return new Outcome(all, sent, seen, back, connected, latency, refusals, whole, log);
        }
    }

    private final URI proxy;
    private final int partitions;
    private final Path programs;
    private final Path logs;
    private final Load load;
    private final PrintStream out;
    private final List<RoomProbe> probes;
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();

    /**
     * @param proxy {@code http://host:port} of HAProxy
     * @param partitions number of partitions of the log
     * @param programs the checkout in which the load client was built
     * @param logs directory for the output of the loads
     */
    Drill(URI proxy, int partitions, Path programs, Path logs, Load load, PrintStream out) {
        this.proxy = proxy;
        this.partitions = partitions;
        this.programs = programs;
        this.logs = logs;
        this.load = load;
        this.out = out;
        this.probes = IntStream.range(0, partitions)
                .mapToObj(partition -> new RoomProbe(roomOf(partition), proxy))
                .toList();
    }

    private RoomId roomOf(int partition) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> new RoomId("drill-" + i))
                .filter(room -> room.partition(partitions) == partition)
                .findFirst()
                .orElseThrow();
    }

    /** Injects the faults, prints each outcome when it is known, and returns them all. */
    List<Outcome> run(List<Fault> faults) throws InterruptedException {
        List<Outcome> outcomes = new ArrayList<>();
        out.printf(
                "%n%-10s %-6s %9s %9s %9s %9s %9s %9s %9s %9s %9s%n",
                "step", "load", "sent", "silence", "refusal", "back", "after", "members", "p99", "history", "whole");
        for (Fault fault : faults) {
            Outcome outcome = run(fault);
            outcomes.add(outcome);
            out.printf(
                    Locale.ROOT,
                    "%-10s %-6s %,9d %7.1f s %6d ms %7.1f s %7.1f s %7d s %7d s %7.1f s %7.1f s   %s%n",
                    fault.name(),
                    outcome.passed() ? "passed" : "FAILED",
                    outcome.sent,
                    seconds(outcome.seen.silence()),
                    outcome.seen.refusal().toMillis(),
                    seconds(outcome.back),
                    seconds(outcome.seen.after()),
                    outcome.connected.toSeconds(),
                    outcome.latency.toSeconds(),
                    seconds(outcome.seen.behind()),
                    seconds(outcome.whole),
                    outcome.passed() ? fault.what() : String.join("; ", outcome.complaints));
            out.flush();
        }
        return outcomes;
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }

    private Outcome run(Fault fault) throws InterruptedException {
        awaitProbes();
        Path log = logs.resolve(fault.name() + ".log");
        Path folder = logs.resolve(fault.name());
        try (LoadRun running = LoadRun.start(programs, log, arguments(folder))) {
            boolean sending = running.awaitSending();
            TimeUnit.MILLISECONDS.sleep(load.before.toMillis());
            probes.forEach(RoomProbe::begin);
            boolean inTime = sending && running.isRunning();
            Instant when = Instant.now();
            long began = System.nanoTime();
            List<String> complaints = new ArrayList<>(fault.act().run());
            long over = System.nanoTime();
            await(
                    "each partition to accept messages",
                    () -> probes.stream().allMatch(probe -> probe.hasAcceptedSince(over)));
            Duration back = Duration.ofNanos(System.nanoTime() - over);
            probes.forEach(RoomProbe::recover);
            awaitProbes();
            Duration whole = Duration.ofNanos(System.nanoTime() - began);
            int result = running.result(load.duration.plus(PATIENCE));
            if (!inTime) complaints.add("the load ended before the fault: see " + log);
            if (result != 0) complaints.add("the load exited with code " + result + ": see " + log);
            LoadSeconds seconds = LoadSeconds.read(folder);
            Outcome outcome = new Outcome(
                    complaints,
                    running.sent(),
                    probes.stream()
                            .map(RoomProbe::seen)
                            .reduce(RoomProbe.Seen::worst)
                            .orElseThrow(),
                    back,
                    seconds.untilAllAreConnected(when),
                    seconds.untilLatencyIsAsBefore(when),
                    seconds.refusals(),
                    whole,
                    log);
            return outcome.and(fault.bounds().stream()
                    .filter(bound -> !bound.holds().test(outcome))
                    .map(Bound::what)
                    .toList());
        }
    }

    /**
     * Returns options for an open-loop load in 20 rooms that retries rejected messages, for up to a minute without
     * progress.
     */
    private List<String> arguments(Path folder) {
        long messages = load.rate * load.duration.toSeconds() / (ROOMS * USERS) + 1;
        return List.of(
                "--rooms=" + ROOMS,
                "--users=" + USERS,
                "--messages=" + messages,
                "--rate=" + load.rate,
                "--duration=" + load.duration.toSeconds() + "s",
                "--retries=200",
                "--out=" + folder,
                "--url=ws://127.0.0.1:" + proxy.getPort());
    }

    private void awaitProbes() throws InterruptedException {
        try {
            await("the probes", () -> probes.stream().allMatch(RoomProbe::isWell));
        } catch (DrillFailure failure) {
            throw new DrillFailure(failure.getMessage()
                    + probes.stream().map(probe -> "\n  " + probe.state()).collect(Collectors.joining()));
        }
    }

    static void await(String what, BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline)
                throw new DrillFailure("timed out after " + PATIENCE.toSeconds() + " s waiting for " + what);
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
    }

    /** Kills the program to simulate a crash, and returns when it is healthy again. */
    static void killAndAwait(ChildProgram program) throws InterruptedException {
        long before = program.pid();
        program.kill();
        awaitNext(program, before);
    }

    /** Returns when the program has a process other than {@code before} and is healthy. */
    static void awaitNext(ChildProgram program, long before) throws InterruptedException {
        await(program.name(), () -> program.pid() != before);
        program.awaitHealthy();
    }

    /** Returns the response, or null if there is none within 5 s. */
    @Nullable
    HttpResponse<String> get(URI address) {
        try {
            return http.send(
                    HttpRequest.newBuilder(address)
                            .timeout(Duration.ofSeconds(5))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        } catch (IOException noResponse) {
            return null;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /** Stops the probes: they send no more messages. */
    void endProbes() {
        probes.forEach(RoomProbe::close);
    }

    @Override
    public void close() {
        endProbes();
        http.shutdownNow();
    }
}
