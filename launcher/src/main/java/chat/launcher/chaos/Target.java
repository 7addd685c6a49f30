package chat.launcher.chaos;

import chat.launcher.platform.BrokerLists;
import chat.launcher.platform.ChildProgram;
import chat.launcher.platform.Cluster;
import chat.nodes.NodeException;
import chat.nodes.RabbitNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Gives faults access to a running platform.
 *
 * @param cluster has several chat servers, two consumers, a replica of PostgreSQL and HAProxy
 * @param proxy {@code http://host:port} of HAProxy
 * @param partitions number of partitions of the log
 * @param programs the checkout in which the programs were built
 * @param logs directory for the output of loads
 */
public record Target(Cluster cluster, URI proxy, int partitions, Path programs, Path logs) {
    private static final HttpClient HTTP =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();
    private static final Pattern SESSIONS = Pattern.compile("(?m)^chat_sessions(?:\\{.*})? (\\d+)");
    private static final String STREAM = "chat.log.0";

    boolean hasOneBroker() {
        return cluster.size().brokers() == 1;
    }

    /** Returns the broker, or in a cluster the one that leads the stream of partition 0. */
    RabbitNode broker() {
        return cluster.brokers()
                .map(brokers -> brokers.leaderOf(STREAM)
                        .orElseThrow(() -> new ChaosFailure("the stream " + STREAM + " has no leader")))
                .orElseGet(cluster::rabbit);
    }

    /** Returns any broker that runs. */
    RabbitNode anyBroker() {
        return cluster.brokers().map(brokers -> brokers.any()).orElseGet(cluster::rabbit);
    }

    BrokerLists lists() {
        return new BrokerLists(anyBroker());
    }

    /** Returns all brokers. */
    List<RabbitNode> brokers() {
        return cluster.brokers().map(brokers -> brokers.nodes()).orElseGet(() -> List.of(cluster.rabbit()));
    }

    /**
     * Waits until every broker has a replica of every stream; before that, losing another one could lose the majority.
     */
    void awaitReplicas() throws InterruptedException {
        Waiting.until("all replicas of the streams", () -> {
            try {
                List<String> streams = anyBroker()
                        .ctl("list_queues", "--no-table-headers", "name", "online")
                        .lines()
                        .toList();
                return streams.size() >= partitions
                        && streams.stream()
                                .allMatch(stream ->
                                        brokers().stream().allMatch(node -> stream.contains(node.name() + "@")));
            } catch (NodeException notNow) {
                return false;
            }
        });
    }

    /** Returns the consumer that reads the log; the others are fenced. */
    ChildProgram activeConsumer() {
        return cluster.consumers().stream()
                .filter(consumer -> body(consumer.port(), "/health").contains("READING"))
                .findFirst()
                .orElseThrow(() -> new ChaosFailure("no consumer is reading the log"));
    }

    /** Returns the number of connected clients of all servers. */
    int sessions() {
        int sessions = 0;
        for (ChildProgram server : cluster.servers()) {
            Matcher value = SESSIONS.matcher(body(management(server), "/actuator/prometheus"));
            if (value.find()) sessions += Integer.parseInt(value.group(1));
        }
        return sessions;
    }

    /** Returns whether the server is ready, as a load balancer sees it. */
    boolean isReady(ChildProgram server) {
        return answers(management(server), "/actuator/health/readiness", answer -> answer.statusCode() == 200);
    }

    /** Returns whether HAProxy sends clients to the server. */
    boolean isInUse(ChildProgram server) {
        String up = "haproxy_server_status{proxy=\"chat\",server=\"" + server.name() + "\",state=\"UP\"} 1";
        return answers(
                cluster.proxyMetrics().getPort(),
                "/metrics",
                answer -> answer.body().contains(up));
    }

    private static int management(ChildProgram server) {
        return server.port() + Cluster.MANAGEMENT_OFFSET;
    }

    private static boolean answers(int port, String path, Predicate<HttpResponse<String>> check) {
        HttpResponse<String> answer = get(port, path);
        return answer != null && check.test(answer);
    }

    private static String body(int port, String path) {
        HttpResponse<String> answer = get(port, path);
        return answer == null ? "" : answer.body();
    }

    /** Returns the response, or null if there is none within 5 s. */
    private static @Nullable HttpResponse<String> get(int port, String path) {
        try {
            return HTTP.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
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

    /** Connects to the primary of PostgreSQL. */
    Connection primary() throws SQLException {
        return connect(cluster.postgres().writingUrl());
    }

    /** Connects to the replica of PostgreSQL. */
    Connection replica() throws SQLException {
        return connect(cluster.postgres().readingUrl());
    }

    private Connection connect(String url) throws SQLException {
        return DriverManager.getConnection(
                url,
                cluster.postgres().primary().user(),
                cluster.postgres().primary().password());
    }

    /** Kills the program to simulate a crash, and returns when it is healthy again. */
    static void killAndAwait(ChildProgram program) throws InterruptedException {
        long before = program.pid();
        program.kill();
        program.awaitRestart(before);
    }
}
