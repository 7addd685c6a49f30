package chat.launcher;

import chat.nodes.NodeException;
import chat.nodes.PostgresPair;
import chat.nodes.RabbitNode;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Stops one node of each kind of a cluster, one after the other, and compares the databases at the end. */
final class ClusterDrill {
    /** Faults, in their default order. */
    enum Step {
        BROKER("a broker that leads a stream is killed and restarted"),
        SERVER("a chat server is killed and restarted"),
        CONSUMER("the active consumer is killed and restarted"),
        PROXY("HAProxy is killed and restarted"),
        PRIMARY("PostgreSQL's primary is killed, the replica is promoted, and the old primary becomes its replica"),
        BROKERS("the brokers are restarted, one after the other");

        private final String what;

        Step(String what) {
            this.what = what;
        }
    }

    private final Cluster cluster;
    private final int partitions;
    private final Drill drill;
    private final PrintStream out;

    /**
     * @param cluster a running cluster with several brokers, two consumers, a replica and HAProxy
     * @param partitions number of partitions of its log
     * @param drill the drill on this cluster
     */
    ClusterDrill(Cluster cluster, int partitions, Drill drill, PrintStream out) {
        this.cluster = cluster;
        this.partitions = partitions;
        this.drill = drill;
        this.out = out;
    }

    /** Runs the steps, prints each outcome when it is known, and returns them all. */
    List<Drill.Outcome> run(List<Step> steps) throws InterruptedException {
        return drill.run(steps.stream()
                .map(step -> Fault.of(step, step.what, () -> perform(step), List.of()))
                .toList());
    }

    private List<String> perform(Step step) throws InterruptedException {
        switch (step) {
            case BROKER -> {
                RabbitNode leader = cluster.brokers()
                        .leaderOf("chat.log.0")
                        .orElseThrow(() -> new DrillFailure("chat.log.0 has no leader"));
                leader.kill();
                leader.start();
                awaitReplicas();
            }
            case SERVER -> Drill.killAndAwait(cluster.servers().getFirst());
            case CONSUMER -> Drill.killAndAwait(storing());
            case PROXY -> {
                cluster.proxy().kill();
                Drill.await("HAProxy", () -> cluster.proxy().isRunning());
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
        return List.of();
    }

    /** Returns the consumer that reads the log; the others are fenced. */
    private ChildProgram storing() {
        return cluster.consumers().stream()
                .filter(consumer -> health(consumer).contains("READING"))
                .findFirst()
                .orElseThrow(() -> new DrillFailure("no consumer is reading the log"));
    }

    private String health(ChildProgram program) {
        HttpResponse<String> health = drill.get(URI.create("http://127.0.0.1:" + program.port() + "/health"));
        return health == null ? "" : health.body();
    }

    /**
     * Waits until every node has a replica of every stream; before that, losing another node could lose the majority.
     */
    private void awaitReplicas() throws InterruptedException {
        Drill.await("all replicas of the streams", () -> {
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

    /** Returns whether primary and replica have the same messages, without duplicates. */
    boolean databasesAgree() throws InterruptedException {
        drill.endProbes();
        String primary = count(cluster.postgres().writingUrl());
        long deadline = System.nanoTime() + Drill.PATIENCE.toNanos();
        String replica = count(cluster.postgres().readingUrl());
        // The probes' last messages are still being stored and replicated.
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
                ResultSet row =
                        statement.executeQuery("SELECT count(*), count(*) - count(DISTINCT (message_id, room, usr)), "
                                + "(SELECT count(*) FROM dead_letter), (SELECT count(*) FROM log_gap) FROM messages")) {
            if (!row.next()) return "nothing";
            String twice = row.getLong(2) == 0 ? "none" : Long.toString(row.getLong(2));
            return String.format(
                    Locale.ROOT,
                    "%,d messages, %s twice, %d dead letters, %d gaps",
                    row.getLong(1),
                    twice,
                    row.getLong(3),
                    row.getLong(4));
        } catch (SQLException failure) {
            return "cannot read it: " + failure.getMessage();
        }
    }
}
