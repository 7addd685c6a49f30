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

/** Takes one node of each kind of a cluster away, one after the other, and compares the databases at the end. */
final class ClusterDrill {
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
    }

    private final Cluster cluster;
    private final int partitions;
    private final Drill drill;
    private final PrintStream out;

    /**
     * @param cluster that was started, with several brokers, two consumers, a replica and HAProxy
     * @param partitions of its log
     * @param drill of it
     */
    ClusterDrill(Cluster cluster, int partitions, Drill drill, PrintStream out) {
        this.cluster = cluster;
        this.partitions = partitions;
        this.drill = drill;
        this.out = out;
    }

    /** The steps' outcomes, each told when it is known. */
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

    /** The one that reads; the others are fenced. */
    private ChildProgram storing() {
        return cluster.consumers().stream()
                .filter(consumer -> health(consumer).contains("READING"))
                .findFirst()
                .orElseThrow(() -> new DrillFailure("no consumer stores anything"));
    }

    private String health(ChildProgram program) {
        HttpResponse<String> health = drill.get(URI.create("http://127.0.0.1:" + program.port() + "/health"));
        return health == null ? "" : health.body();
    }

    /** Until every stream is on every node again: before that another loss could cost the majority. */
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

    /** Whether primary and replica have the same messages, and each once. */
    boolean databasesAgree() throws InterruptedException {
        drill.endProbes();
        String primary = count(cluster.postgres().writingUrl());
        long deadline = System.nanoTime() + Drill.PATIENCE.toNanos();
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
            return "cannot be read: " + failure.getMessage();
        }
    }
}
