package chat.local;

import chat.nodes.NodeException;
import chat.nodes.PostgresPair;
import chat.nodes.RabbitNode;
import chat.protocol.RoomId;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Takes one node of each kind away under load, one after the other, and tells how long that was noticed. Each step has a
 * load of its own, which ends well only if nothing accepted was lost, doubled or reordered.
 */
final class ClusterDrill implements AutoCloseable {
    private static final int ROOMS = 20;
    private static final int USERS = 3;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration BEFORE = Duration.ofSeconds(3);
    private static final long POLL_MILLIS = 100;

    /** What happens to the cluster. */
    enum Step {
        BROKER("a broker that leads a stream is killed, and started again"),
        SERVER("a chat server is killed, and started again"),
        CONSUMER("the consumer that stores is killed, and started again"),
        PROXY("HAProxy is killed, and started again"),
        PRIMARY("PostgreSQL's primary is killed, its replica promoted, and the old primary made its replica"),
        BROKERS("the brokers are stopped and started, one after the other");

        private final String what;

        Step(String what) {
            this.what = what;
        }

        String option() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * @param whole from the fault until everything ran again
     * @param log of the load
     */
    record Outcome(Step step, boolean passed, long sent, RoomProbe.Seen seen, Duration whole, Path log) {}

    private final Cluster cluster;
    private final URI proxy;
    private final int partitions;
    private final Path programs;
    private final Path logs;
    private final int rate;
    private final Duration duration;
    private final PrintStream out;
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();
    private final List<RoomProbe> probes;

    /**
     * @param cluster that was started, with several brokers, two consumers, a replica and HAProxy
     * @param programs the checkout in which they were built
     * @param rate messages per second
     * @param duration of each step's load; longer where a step takes longer
     */
    ClusterDrill(
            Cluster cluster,
            Cluster.Ports ports,
            int partitions,
            Path programs,
            Path logs,
            int rate,
            Duration duration,
            PrintStream out) {
        this.cluster = cluster;
        this.proxy = URI.create("http://127.0.0.1:" + ports.proxy());
        this.partitions = partitions;
        this.programs = programs;
        this.logs = logs;
        this.rate = rate;
        this.duration = duration;
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

    /** The steps' outcomes, each told when it is known. */
    List<Outcome> run(List<Step> steps) throws InterruptedException {
        List<Outcome> outcomes = new ArrayList<>();
        out.printf("%n%-9s %-7s %10s %12s %12s %12s%n", "step", "load", "sent", "silence", "history", "whole");
        for (Step step : steps) {
            Outcome outcome = run(step);
            outcomes.add(outcome);
            out.printf(
                    Locale.ROOT,
                    "%-9s %-7s %,10d %10.1f s %10.1f s %10.1f s   %s%n",
                    step.option(),
                    outcome.passed ? "passed" : "FAILED",
                    outcome.sent,
                    seconds(outcome.seen.silence()),
                    seconds(outcome.seen.behind()),
                    seconds(outcome.whole),
                    outcome.passed ? step.what : "see " + outcome.log);
            out.flush();
        }
        return outcomes;
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }

    private Outcome run(Step step) throws InterruptedException {
        awaitProbes();
        Path log = logs.resolve(step.option() + ".log");
        try (LoadRun load = LoadRun.start(programs, log, load())) {
            boolean sending = load.awaitSending();
            TimeUnit.MILLISECONDS.sleep(BEFORE.toMillis());
            probes.forEach(RoomProbe::begin);
            long began = System.nanoTime();
            boolean inTime = sending && load.isRunning();
            perform(step);
            awaitProbes();
            Duration whole = Duration.ofNanos(System.nanoTime() - began);
            int result = load.result(duration.plus(PATIENCE));
            RoomProbe.Seen seen = probes.stream()
                    .map(RoomProbe::seen)
                    .reduce(RoomProbe.Seen::worst)
                    .orElseThrow();
            return new Outcome(step, inTime && result == 0, load.sent(), seen, whole, log);
        }
    }

    /** An open loop in twenty rooms that offers again what is refused, until a minute of standstill. */
    private List<String> load() {
        long messages = rate * duration.toSeconds() / (ROOMS * USERS) + 1;
        return List.of(
                "--rooms=" + ROOMS,
                "--users=" + USERS,
                "--messages=" + messages,
                "--rate=" + rate,
                "--duration=" + duration.toSeconds() + "s",
                "--retries=200",
                "--url=ws://127.0.0.1:" + proxy.getPort());
    }

    private void perform(Step step) throws InterruptedException {
        switch (step) {
            case BROKER -> {
                RabbitNode leader = cluster.brokers()
                        .leaderOf("chat.log.0")
                        .orElseThrow(() -> new DrillFailure("chat.log.0 has no leader"));
                leader.kill();
                leader.start();
                awaitReplicas();
            }
            case SERVER -> killAndAwait(cluster.servers().getFirst());
            case CONSUMER -> killAndAwait(storing());
            case PROXY -> {
                cluster.proxy().kill();
                await("HAProxy", () -> cluster.proxy().isRunning());
            }
            case PRIMARY -> {
                PostgresPair postgres = cluster.postgres();
                postgres.primary().kill();
                postgres.promote();
                postgres.follow();
            }
            case BROKERS -> {
                for (RabbitNode node : cluster.brokers().nodes()) {
                    node.stop();
                    node.start();
                    awaitReplicas();
                }
            }
        }
    }

    private void killAndAwait(ChildProgram program) throws InterruptedException {
        long before = program.pid();
        program.kill();
        await(program.name(), () -> program.pid() != before);
        program.awaitHealthy();
    }

    /** The one that reads; the others are fenced. */
    private ChildProgram storing() {
        return cluster.consumers().stream()
                .filter(consumer -> health(consumer).contains("READING"))
                .findFirst()
                .orElseThrow(() -> new DrillFailure("no consumer stores anything"));
    }

    private String health(ChildProgram program) {
        try {
            return http.send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + program.port() + "/health"))
                                    .timeout(Duration.ofSeconds(2))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        } catch (IOException notThere) {
            return "";
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    /** Until every stream is on every node again: before that another loss could cost the majority. */
    private void awaitReplicas() throws InterruptedException {
        await("all replicas of the streams", () -> {
            try {
                List<String> streams = cluster.brokers()
                        .any()
                        .ctl("list_queues", "--no-table-headers", "name", "online")
                        .lines()
                        .toList();
                return streams.size() >= partitions
                        && streams.stream()
                                .allMatch(stream -> cluster.brokers().nodes().stream()
                                        .allMatch(node -> stream.contains(node.name() + "@")));
            } catch (NodeException notNow) {
                return false;
            }
        });
    }

    private void awaitProbes() throws InterruptedException {
        try {
            await("the probes", () -> probes.stream().allMatch(RoomProbe::isWell));
        } catch (DrillFailure failure) {
            throw new DrillFailure(failure.getMessage()
                    + probes.stream().map(probe -> "\n  " + probe.state()).collect(Collectors.joining()));
        }
    }

    private static void await(String what, BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline)
                throw new DrillFailure("waited for " + what + " for " + PATIENCE.toSeconds() + " s in vain");
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
    }

    /** Whether primary and replica have the same messages, and each once. */
    boolean databasesAgree() throws InterruptedException {
        probes.forEach(RoomProbe::close);
        String primary = count(cluster.postgres().writingUrl());
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        String replica = count(cluster.postgres().readingUrl());
        // The last of the probes' messages are still being stored, and then copied.
        while (!replica.equals(primary) && System.nanoTime() < deadline) {
            TimeUnit.SECONDS.sleep(1);
            primary = count(cluster.postgres().writingUrl());
            replica = count(cluster.postgres().readingUrl());
        }
        out.printf("%nprimary: %s%nreplica: %s%n", primary, replica);
        return replica.equals(primary) && primary.contains(" none twice");
    }

    private String count(String url) {
        try (Connection connection = DriverManager.getConnection(
                        url,
                        cluster.postgres().primary().user(),
                        cluster.postgres().primary().password());
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*), count(*) - count(DISTINCT message_id), "
                        + "(SELECT count(*) FROM dead_letter), (SELECT count(*) FROM log_gap) FROM messages")) {
            if (!row.next()) return "nothing";
            String twice = row.getLong(2) == 0 ? "none" : Long.toString(row.getLong(2));
            return "%,d messages, %s twice, %d dead letters, %d gaps"
                    .formatted(row.getLong(1), twice, row.getLong(3), row.getLong(4));
        } catch (SQLException failure) {
            return "cannot be read: " + failure.getMessage();
        }
    }

    @Override
    public void close() {
        probes.forEach(RoomProbe::close);
        http.shutdownNow();
    }
}
