package chat.launcher.chaos;

import chat.launcher.platform.ChildProgram;
import chat.launcher.platform.Cluster;
import chat.nodes.PostgresPair;
import chat.nodes.RabbitNode;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** Lists the faults that a platform can be given from outside. docs/guide/chaos.md describes them. */
public final class Catalogue {
    /** Until the load's p99 can be seen to be normal again. */
    private static final Duration UNTIL_LATENCY = Duration.ofSeconds(45);

    private static final Duration UNTIL_STARTED = Duration.ofSeconds(20);
    private static final Duration SOON = Duration.ofSeconds(15);
    private static final List<String> VIEWS =
            List.of("user_stats", "room_stats", "hourly_stats", "participation_stats");
    private static final long SLOW_MILLIS = 500;
    private static final long FAST_MILLIS = 100;
    private static final int KILLS = 5;
    private static final int TERMINATIONS = 10;

    private final Target target;
    private final Timing timing;
    private final RandomGenerator random;
    private final List<CatalogueEntry> entries = new ArrayList<>();

    /**
     * Lists the faults that this platform survives.
     *
     * @param target need not run yet
     * @param random chooses programs and moments
     */
    public Catalogue(Target target, Timing timing, RandomGenerator random) {
        this.target = target;
        this.timing = timing;
        this.random = random;
        addServers();
        addConsumers();
        addBrokers();
        addDatabase();
        addClients();
        addOthers();
    }

    /** Returns the faults in their default order. */
    List<CatalogueEntry> entries() {
        return Collections.unmodifiableList(entries);
    }

    /** Returns the names of all faults in their default order. */
    public List<String> names() {
        return entries.stream().map(CatalogueEntry::name).toList();
    }

    /**
     * Returns a fault.
     *
     * @param fault name or number
     * @return empty if there is none for this platform
     */
    public Optional<CatalogueEntry> find(String fault) {
        return entries.stream()
                .filter(entry ->
                        entry.name().equalsIgnoreCase(fault) || entry.id().equalsIgnoreCase(fault))
                .findFirst();
    }

    private void add(
            String id,
            String name,
            String what,
            Duration hold,
            Duration repair,
            List<Bound> bounds,
            Supplier<Fault> fault) {
        entries.add(new CatalogueEntry(id, name, what, hold, repair, bounds, fault));
    }

    private void addServers() {
        Cluster cluster = target.cluster();
        add(
                "K1",
                "server-killed",
                "kill -9 of a chat server",
                Duration.ZERO,
                UNTIL_LATENCY,
                List.of(Bound.MEMBERS_BACK, Bound.LATENCY_BACK, Bound.HARDLY_NOTICED),
                () -> new KilledServer(target, any(cluster.servers())));
        add(
                "K2",
                "servers-restarted",
                "SIGTERM of each chat server, one after the other",
                Duration.ZERO,
                UNTIL_LATENCY,
                List.of(Bound.MEMBERS_BACK, Bound.HARDLY_NOTICED),
                () -> new RestartedServers(target));
        add(
                "K31",
                "server-frozen",
                "SIGSTOP of a chat server for " + seconds(timing.outage()),
                timing.outage(),
                SOON,
                List.of(Bound.MEMBERS_BACK),
                () -> frozen(any(cluster.servers())));
        add(
                "K32",
                "proxy-killed",
                "kill -9 of HAProxy",
                Duration.ZERO,
                SOON,
                List.of(Bound.MEMBERS_BACK),
                () -> Fault.of(
                        cluster.proxy()::kill,
                        () -> Waiting.until("HAProxy", () -> cluster.proxy().isRunning())));
    }

    private void addConsumers() {
        Cluster cluster = target.cluster();
        add(
                "K3",
                "consumers-killed",
                "kill -9 of both consumers, " + KILLS + " times at random moments",
                Duration.ZERO,
                Duration.ofMinutes(1),
                List.of(Bound.NOTHING_REJECTED, Bound.HARDLY_NOTICED),
                () -> new KilledRepeatedly(cluster.consumers(), KILLS, random));
        add(
                "K29",
                "active-consumer-killed",
                "kill -9 of the consumer that stores; the other one takes over",
                Duration.ZERO,
                UNTIL_STARTED,
                List.of(Bound.NOTHING_REJECTED, Bound.HARDLY_NOTICED, Bound.FAILED_OVER),
                () -> new KilledRepeatedly(List.of(target.activeConsumer()), 1, random));
        add(
                "K33",
                "consumer-frozen",
                "SIGSTOP of the consumer that stores for " + seconds(timing.databaseOutage()),
                timing.databaseOutage(),
                SOON,
                List.of(Bound.NOTHING_REJECTED, Bound.HARDLY_NOTICED),
                () -> frozen(target.activeConsumer()));
    }

    private void addBrokers() {
        String which = target.hasOneBroker() ? "the broker" : "the broker that leads a stream";
        add(
                "K7",
                "broker-killed",
                "kill -9 of " + which,
                Duration.ZERO,
                UNTIL_STARTED,
                brokerBounds(),
                () -> brokerFault(RabbitNode::kill, RabbitNode::start));
        add(
                "K8",
                "broker-out-of-memory",
                "memory alarm, which blocks publishers, for " + seconds(timing.outage()),
                timing.outage(),
                SOON,
                List.of(Bound.REJECTED_AT_ONCE, Bound.ALARM_OVER, Bound.THEN_AS_BEFORE),
                () -> alarm(
                        broker -> broker.ctl("set_vm_memory_high_watermark", "0"),
                        broker -> broker.ctl("set_vm_memory_high_watermark", "absolute", "1GB")));
        add(
                "K9",
                "broker-disk-full",
                "disk alarm, which blocks publishers, for " + seconds(timing.outage()),
                timing.outage(),
                // The broker looks at the disk every 10 s.
                UNTIL_STARTED,
                List.of(Bound.REJECTED_AT_ONCE, Bound.BROKER_BACK, Bound.THEN_AS_BEFORE),
                () -> alarm(
                        broker -> broker.ctl("set_disk_free_limit", "100000GB"),
                        broker -> broker.ctl("set_disk_free_limit", "64MB")));
        add(
                "K34",
                "broker-frozen",
                "SIGSTOP of " + which + " for " + seconds(timing.outage()),
                timing.outage(),
                SOON,
                target.hasOneBroker()
                        ? List.of(Bound.NOTHING_REJECTED, Bound.BROKER_BACK, Bound.THEN_AS_BEFORE)
                        : List.of(),
                () -> brokerFault(RabbitNode::pause, RabbitNode::resume));
        if (target.hasOneBroker()) {
            add(
                    "K6",
                    "broker-stopped",
                    "the broker is stopped for " + seconds(timing.outage()),
                    timing.outage(),
                    UNTIL_STARTED,
                    List.of(Bound.REJECTED_AT_ONCE, Bound.BROKER_BACK, Bound.THEN_AS_BEFORE),
                    () -> new ServersKeepServing(target, new StoppedBroker(target)));
            add(
                    "K38",
                    "broker-lost-end",
                    "the broker forgets the last " + seconds(timing.outage()) + " of the log, which are stored",
                    Duration.ZERO,
                    Duration.ofSeconds(90),
                    List.of(),
                    () -> new LostEnd(target, timing.outage()));
            add(
                    "K25",
                    "broker-and-database-stopped",
                    "the broker and the database are stopped for " + seconds(timing.outage()),
                    timing.outage(),
                    UNTIL_STARTED,
                    List.of(),
                    () -> new Together(new StoppedBroker(target), stoppedDatabase()));
        } else {
            add(
                    "K35",
                    "brokers-restarted",
                    "each broker is restarted, one after the other",
                    Duration.ZERO,
                    Duration.ofMinutes(1),
                    List.of(),
                    () -> Fault.of(this::restartBrokers, () -> {}));
        }
    }

    private List<Bound> brokerBounds() {
        return target.hasOneBroker()
                ? List.of(Bound.REJECTED_AT_ONCE, Bound.BROKER_BACK, Bound.THEN_AS_BEFORE)
                : List.of();
    }

    private void addDatabase() {
        List<Bound> unnoticed = List.of(Bound.NOTHING_REJECTED, Bound.HARDLY_NOTICED);
        add(
                "K10",
                "database-stopped",
                "PostgreSQL, primary and replica, is stopped for " + seconds(timing.databaseOutage()),
                timing.databaseOutage(),
                SOON,
                unnoticed,
                this::stoppedDatabase);
        add(
                "K11",
                "database-slow",
                "SIGSTOP of PostgreSQL for " + SLOW_MILLIS + " of each " + (SLOW_MILLIS + FAST_MILLIS) + " ms, for "
                        + seconds(timing.outage()),
                timing.outage(),
                SOON,
                unnoticed,
                () -> new RepeatedFault("slowing PostgreSQL", this::pauseDatabase));
        add(
                "K12",
                "connections-terminated",
                "pg_terminate_backend of every consumer connection, " + TERMINATIONS + " times at random moments",
                Duration.ZERO,
                SOON,
                unnoticed,
                () -> Fault.of(this::terminateConnections, () -> {}));
        add(
                "K13",
                "messages-locked",
                "a transaction locks the table of messages for " + seconds(timing.outage()),
                timing.outage(),
                SOON,
                unnoticed,
                () -> new LockedTable(target, "messages"));
        add(
                "K36",
                "deadlocks",
                "transactions that lock in the opposite order, for " + seconds(timing.outage()),
                timing.outage(),
                SOON,
                unnoticed,
                () -> new Deadlocks(target));
        add(
                "K27",
                "views-refreshed",
                "REFRESH MATERIALIZED VIEW CONCURRENTLY of all views without pause for " + seconds(timing.outage()),
                timing.outage(),
                SOON,
                unnoticed,
                () -> new RepeatedFault("refreshing views", this::refreshViews));
        add(
                "K37",
                "replica-promoted",
                "kill -9 of the primary, its replica is promoted, and the old primary becomes the replica",
                Duration.ZERO,
                UNTIL_STARTED,
                unnoticed,
                this::promotedReplica);
    }

    private void addClients() {
        add(
                "K17",
                "client-stops-reading",
                "a client stops reading in a busy room (./load slow-reader)",
                Duration.ZERO,
                Duration.ofSeconds(35),
                List.of(),
                () -> new SecondLoad(target, "slow-reader"));
        add(
                "K18",
                "clients-half-open",
                "four clients never answer a ping (./load silent)",
                Duration.ZERO,
                Duration.ofSeconds(60),
                List.of(),
                () -> new SecondLoad(target, "silent"));
        add(
                "K19",
                "clients-killed",
                "500 more clients connect and are killed",
                Duration.ZERO,
                SOON,
                List.of(Bound.HARDLY_NOTICED),
                () -> new KilledClients(target, false));
        add(
                "K20",
                "clients-return",
                "500 more clients are killed and connect again at once",
                Duration.ZERO,
                SOON,
                List.of(Bound.HARDLY_NOTICED),
                () -> new KilledClients(target, true));
        add(
                "K21",
                "clients-churn",
                "100 visitors per second join and leave (./load churn)",
                Duration.ZERO,
                Duration.ofSeconds(30),
                List.of(),
                () -> new SecondLoad(target, "churn", "--duration=20s", "--users=10"));
    }

    private void addOthers() {
        add(
                "K14",
                "poison",
                "unreadable entries are written into every partition of the log",
                Duration.ZERO,
                SOON,
                List.of(Bound.NOTHING_REJECTED, Bound.HARDLY_NOTICED),
                () -> new PoisonEntries(target));
        add(
                "K15",
                "dead-letters-locked",
                "unreadable entries, while the table of dead letters is locked for " + seconds(timing.outage()),
                timing.outage(),
                SOON,
                List.of(Bound.NOTHING_REJECTED, Bound.HARDLY_NOTICED),
                () -> new Together(new LockedTable(target, "dead_letter"), new PoisonEntries(target)));
        add(
                "K28",
                "one-process-killed",
                "kill -9 of ./run, which leaves its PostgreSQL running, and a restart",
                Duration.ZERO,
                UNTIL_LATENCY,
                List.of(),
                () -> new KilledOneProcess(target));
    }

    private <T> T any(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    private static String seconds(Duration duration) {
        return duration.toSeconds() + " s";
    }

    private static Fault frozen(ChildProgram program) {
        return Fault.of(program::pause, () -> {
            program.resume();
            program.awaitHealthy();
        });
    }

    private Fault brokerFault(Consumer<RabbitNode> begin, Consumer<RabbitNode> end) {
        RabbitNode broker = target.broker();
        return new ServersKeepServing(target, Fault.of(() -> begin.accept(broker), () -> {
            end.accept(broker);
            target.awaitReplicas();
        }));
    }

    private Fault alarm(Consumer<RabbitNode> begin, Consumer<RabbitNode> end) {
        RabbitNode broker = target.anyBroker();
        return new ServersKeepServing(target, Fault.of(() -> begin.accept(broker), () -> end.accept(broker)));
    }

    private void restartBrokers() throws InterruptedException {
        for (RabbitNode broker : target.brokers()) {
            broker.stop();
            broker.start();
            target.awaitReplicas();
        }
    }

    private Fault stoppedDatabase() {
        PostgresPair postgres = target.cluster().postgres();
        return Fault.of(postgres::close, postgres::start);
    }

    private Fault promotedReplica() {
        PostgresPair postgres = target.cluster().postgres();
        return Fault.of(() -> postgres.primary().kill(), () -> {
            postgres.promote();
            postgres.follow();
        });
    }

    private void pauseDatabase() throws InterruptedException {
        PostgresPair postgres = target.cluster().postgres();
        postgres.primary().pause();
        try {
            TimeUnit.MILLISECONDS.sleep(SLOW_MILLIS);
        } finally {
            postgres.primary().resume();
        }
        TimeUnit.MILLISECONDS.sleep(FAST_MILLIS);
    }

    private void terminateConnections() throws InterruptedException {
        for (int i = 0; i < TERMINATIONS; i++) {
            Sql.number(
                    target,
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                            + " WHERE application_name LIKE 'confab-consumer-%'");
            TimeUnit.MILLISECONDS.sleep(random.nextInt(1_000));
        }
    }

    private void refreshViews() throws Exception {
        try (Connection connection = target.primary()) {
            for (String view : VIEWS) Sql.execute(connection, "REFRESH MATERIALIZED VIEW CONCURRENTLY " + view);
        }
    }
}
