package chat.launcher;

import chat.launcher.Fault.Bound;
import chat.nodes.RabbitNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Injects faults into the chat servers and the broker of a platform with one broker. */
final class ServerDrill {
    /** How long the broker is stopped, paused or blocked. */
    private static final Duration OUTAGE = Duration.ofSeconds(10);

    /** How long after a kill the broker may keep the connections of the killed server. */
    private static final Duration LEFT_BEHIND = Duration.ofSeconds(10);

    private static final Duration LONGEST_STOP = Duration.ofSeconds(20);
    /** Maximum growth of the servers' resident memory while they cannot publish; their buffers are bounded. */
    private static final long MOST_GROWTH = 200L << 20;

    private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s*(\\d+) kB");

    private static final Bound REFUSED_AT_ONCE =
            Bound.atMost("refusals", outcome -> outcome.seen().refusal(), Duration.ofSeconds(1));
    /** Messages that cannot be published wait and are published later. */
    private static final Bound NOTHING_REFUSED = new Bound(
            "no message is rejected",
            outcome -> outcome.refusals() == 0 && outcome.seen().refusal().isZero());

    private static final Bound MEMBERS_BACK = Bound.atMost("members", Drill.Outcome::connected, Duration.ofSeconds(30));
    private static final Bound LATENCY_BACK = Bound.atMost("p99", Drill.Outcome::latency, Duration.ofSeconds(30));
    /** The server that takes over the rooms has already read their partitions. */
    private static final Bound HARDLY_NOTICED =
            Bound.atMost("silence", outcome -> outcome.seen().silence(), Duration.ofSeconds(5));

    private static final Bound BROKER_BACK = Bound.atMost("back", Drill.Outcome::back, Duration.ofSeconds(15));
    private static final Bound ALARM_OVER = Bound.atMost("back", Drill.Outcome::back, Duration.ofSeconds(5));
    /** New messages do not wait for rejected messages that clients retry. */
    private static final Bound THEN_AS_BEFORE =
            Bound.atMost("after", outcome -> outcome.seen().after(), Duration.ofSeconds(3));

    /** Faults, in their default order. */
    enum Step {
        SERVER("a chat server is killed and restarted"),
        ROLLING("the chat servers are restarted, one after the other"),
        OUTAGE("RabbitMQ is stopped and started again after 10 s"),
        CRASH("RabbitMQ is killed and restarted"),
        STANDSTILL("RabbitMQ is paused for 10 s"),
        ALARM("RabbitMQ blocks publishers for 10 s, as in a memory alarm");

        private final String what;

        Step(String what) {
            this.what = what;
        }
    }

    private final Cluster cluster;
    private final Drill drill;
    private final BrokerLists broker;

    /**
     * @param cluster a running cluster with one broker, several servers and HAProxy
     * @param drill the drill on this cluster
     */
    ServerDrill(Cluster cluster, Drill drill) {
        this.cluster = cluster;
        this.drill = drill;
        this.broker = new BrokerLists(cluster.rabbit());
    }

    /** Runs the steps, prints each outcome when it is known, and returns them all. */
    List<Drill.Outcome> run(List<Step> steps) throws InterruptedException {
        return drill.run(steps.stream()
                .map(step -> Fault.of(step, step.what, () -> perform(step), bounds(step)))
                .toList());
    }

    private static List<Bound> bounds(Step step) {
        return switch (step) {
            case SERVER -> List.of(MEMBERS_BACK, LATENCY_BACK, HARDLY_NOTICED);
            case ROLLING -> List.of(MEMBERS_BACK, HARDLY_NOTICED);
            case OUTAGE, CRASH -> List.of(REFUSED_AT_ONCE, BROKER_BACK, THEN_AS_BEFORE);
            case STANDSTILL -> List.of(NOTHING_REFUSED, BROKER_BACK, THEN_AS_BEFORE);
            case ALARM -> List.of(REFUSED_AT_ONCE, ALARM_OVER, THEN_AS_BEFORE);
        };
    }

    private List<String> perform(Step step) throws InterruptedException {
        RabbitNode rabbit = cluster.rabbit();
        return switch (step) {
            case SERVER -> killOne();
            case ROLLING -> restartAll();
            case OUTAGE -> {
                int channels = channels();
                List<String> complaints = new ArrayList<>(whileNothingIsTaken(rabbit::stop, rabbit::start));
                Drill.await("as many channels as before", () -> channels() <= channels);
                yield complaints;
            }
            case CRASH -> {
                rabbit.kill();
                rabbit.start();
                yield List.of();
            }
            case STANDSTILL -> whileNothingIsTaken(rabbit::pause, rabbit::resume);
            case ALARM ->
                whileNothingIsTaken(
                        () -> rabbit.ctl("set_vm_memory_high_watermark", "0"),
                        () -> rabbit.ctl("set_vm_memory_high_watermark", "absolute", "1GB"));
        };
    }

    private List<String> killOne() throws InterruptedException {
        ChildProgram server = cluster.servers().getFirst();
        Set<String> connections = broker.connectionsOf(server);
        if (connections.size() != 2)
            throw new DrillFailure(server.name() + " has " + connections.size() + " connections to RabbitMQ");
        Set<String> queues = queues();
        Set<String> bindings = bindings();
        long killed = System.nanoTime();
        Drill.killAndAwait(server);
        TimeUnit.NANOSECONDS.sleep(killed + LEFT_BEHIND.toNanos() - System.nanoTime());
        List<String> complaints = new ArrayList<>();
        left(complaints, server, "connections", broker.list("list_connections", "pid"), connections);
        left(complaints, server, "channels", broker.list("list_channels", "connection"), connections);
        // Servers only use the shared streams: any additional queue belongs to the killed or the restarted server.
        if (!queues().equals(queues)) complaints.add("RabbitMQ's queues have changed: " + queues());
        if (!bindings().equals(bindings)) complaints.add("RabbitMQ's bindings have changed: " + bindings());
        return complaints;
    }

    private static void left(
            List<String> complaints, ChildProgram server, String what, Set<String> there, Set<String> its) {
        there.retainAll(its);
        if (!there.isEmpty())
            complaints.add(
                    "RabbitMQ still had " + what + " of " + server.name() + " after " + LEFT_BEHIND.toSeconds() + " s");
    }

    private Set<String> queues() {
        return broker.list("list_queues", "name");
    }

    private Set<String> bindings() {
        return broker.list("list_bindings", "destination_name", "source_name", "routing_key");
    }

    private List<String> restartAll() throws InterruptedException {
        List<String> complaints = new ArrayList<>();
        for (ChildProgram server : cluster.servers()) {
            long before = server.pid();
            OptionalInt code = server.stop(LONGEST_STOP);
            if (code.isEmpty()) complaints.add(server.name() + " took over " + LONGEST_STOP.toSeconds() + " s to stop");
            else if (code.getAsInt() != 0) complaints.add(server.name() + " exited with code " + code.getAsInt());
            Drill.awaitNext(server, before);
            // Stop the next server only then, so that HAProxy always has a server for the clients.
            String inUse = "haproxy_server_status{proxy=\"chat\",server=\"" + server.name() + "\",state=\"UP\"} 1";
            Drill.await("HAProxy to send clients to " + server.name(), () -> {
                HttpResponse<String> metrics = drill.get(cluster.proxyMetrics());
                return metrics != null && metrics.body().contains(inUse);
            });
        }
        return complaints;
    }

    /**
     * Blocks the broker for {@link #OUTAGE}; checks that servers accept connections and that their memory does not
     * grow.
     */
    private List<String> whileNothingIsTaken(Runnable begin, Runnable end) throws InterruptedException {
        List<String> complaints = new ArrayList<>();
        long memory = residentMemory();
        begin.run();
        try {
            TimeUnit.MILLISECONDS.sleep(OUTAGE.toMillis());
            long grown = residentMemory() - memory;
            if (grown > MOST_GROWTH) complaints.add("the servers' memory grew by " + (grown >> 20) + " MiB");
            for (ChildProgram server : cluster.servers())
                if (!takesSockets(server)) complaints.add(server.name() + " accepted no connections during the outage");
        } finally {
            end.run();
        }
        return complaints;
    }

    /** Returns the resident memory of all servers, in bytes. */
    private long residentMemory() {
        long kilobytes = 0;
        for (ChildProgram server : cluster.servers()) {
            try {
                Matcher resident = RESIDENT.matcher(Files.readString(Path.of("/proc/" + server.pid() + "/status")));
                if (resident.find()) kilobytes += Long.parseLong(resident.group(1));
            } catch (IOException gone) {
                throw new DrillFailure("cannot read the memory of " + server.name() + ": " + gone);
            }
        }
        return kilobytes << 10;
    }

    /** Returns the server's readiness, as a load balancer sees it. */
    private boolean takesSockets(ChildProgram server) {
        HttpResponse<String> readiness = drill.get(URI.create(
                "http://127.0.0.1:" + (server.port() + Cluster.MANAGEMENT_OFFSET) + "/actuator/health/readiness"));
        return readiness != null && readiness.statusCode() == 200;
    }

    private int channels() {
        return broker.list("list_channels", "pid").size();
    }
}
