package chat.load.lab.sample;

import chat.load.lab.sample.MetricsProbe.Endpoint;
import chat.load.lab.sample.ProcessFinder.Found;
import chat.load.report.Samples;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Determines the sources that can be sampled for a run, and creates their sampler. */
public final class Sources {
    /** Offset of a program's management port from its main port. */
    private static final int MANAGEMENT_OFFSET = 1000;

    private static final int RABBITMQ_METRICS_PORT = 15_692;
    private static final int HIGHEST_PORT = 65_535;

    private final Targets targets;
    private final SampleSettings settings;
    private final ProcFiles proc;
    private final List<String> remarks = new ArrayList<>();
    private final List<Probe> probes = new ArrayList<>();
    private List<Found> found = List.of();

    private Sources(Targets targets, SampleSettings settings, ProcFiles proc) {
        this.targets = targets;
        this.settings = settings;
        this.proc = proc;
    }

    /**
     * Resolves names and finds processes, which takes about 100 ms; sends no request yet.
     *
     * @param nanosSinceBegin nanoseconds since the run began, the time base of {@code samples}
     * @return a sampler that is not started
     */
    public static Sampler sampler(
            Targets targets, SampleSettings settings, Samples samples, LongSupplier nanosSinceBegin) {
        Sources sources = new Sources(targets, settings, ProcFiles.ofThisMachine());
        sources.collect(nanosSinceBegin);
        return new Sampler(samples, nanosSinceBegin, sources.probes, sources.remarks);
    }

    private void collect(LongSupplier nanoClock) {
        probes.add(new GeneratorProbe());
        if (proc.exists()) {
            probes.add(new MachineProbe(proc, Path.of("/sys/block")));
            processes(nanoClock);
        } else {
            remarks.add("This is not Linux: neither machine nor processes are sampled");
        }
        List<Endpoint> endpoints = settings.metrics().isEmpty() ? lookedFor() : given();
        if (!endpoints.isEmpty()) probes.add(new MetricsProbe(endpoints, MetricsProbe.PATIENCE));
        postgres();
        rabbitmq();
    }

    private void processes(LongSupplier nanoClock) {
        List<URI> elsewhere = new ArrayList<>();
        Set<Integer> ports = new LinkedHashSet<>();
        for (URI server : targets.servers()) {
            if (Targets.isHere(server)) ports.add(Targets.port(server));
            else elsewhere.add(server);
        }
        if (!elsewhere.isEmpty())
            remarks.add("Not on this machine, so that their processes are not sampled: " + join(elsewhere));
        URI history = targets.history();
        Integer consumer = history != null && Targets.isHere(history) ? Targets.port(history) : null;
        if (!ports.isEmpty()) probes.add(new CloseWaitProbe(proc, ports));
        ProcessFinder finder = new ProcessFinder(proc, List.copyOf(ports), consumer);
        found = finder.find();
        for (int port : ports)
            if (found.stream().noneMatch(process -> process.ports().contains(port)))
                remarks.add("Port " + port + " is no process's that this user may see: none is sampled for it");
        if (!found.isEmpty())
            remarks.add("Processes: "
                    + found.stream()
                            .map(process ->
                                    process.name() + " is " + process.stat().pid() + " (" + process.program() + ")")
                            .collect(Collectors.joining(", ")));
        ProcessProbe probe = new ProcessProbe(proc, finder, nanoClock);
        probe.track(found);
        probes.add(probe);
    }

    private List<Endpoint> given() {
        return settings.metrics().stream()
                .map(metrics -> new Endpoint(
                        metrics.program().isEmpty() ? programAt(metrics.url()) : metrics.program(),
                        List.of(withPath(metrics.url()))))
                .toList();
    }

    private static URI withPath(URI url) {
        String path = url.getPath();
        return path == null || path.isEmpty() || path.equals("/") ? url.resolve(MetricsProbe.PATH) : url;
    }

    private String programAt(URI url) {
        int port = Targets.port(url) - MANAGEMENT_OFFSET;
        for (Found process : found) if (process.ports().contains(Targets.port(url))) return process.name();
        URI history = targets.history();
        if (targets.servers().stream().anyMatch(server -> Targets.port(server) == port)) return "chat-" + port;
        if (history != null && Targets.port(history) == port) return ProcessFinder.CONSUMER;
        return "metrics-" + Targets.port(url);
    }

    /** Endpoints of JVMs on this machine, and of remote servers, which may be JVMs. */
    private List<Endpoint> lookedFor() {
        Map<String, Endpoint> endpoints = new LinkedHashMap<>();
        for (Found process : found) {
            if (process.isJava()) {
                List<URI> candidates = new ArrayList<>();
                for (int port : process.ports())
                    if (process.ports().contains(port + MANAGEMENT_OFFSET))
                        candidates.add(local(port + MANAGEMENT_OFFSET, MetricsProbe.PATH));
                for (int port : process.ports()) candidates.add(local(port, MetricsProbe.PATH));
                endpoints.put(process.name(), new Endpoint(process.name(), candidates));
            } else if (process.name().equals(ProcessFinder.RABBITMQ)
                    && process.ports().contains(RABBITMQ_METRICS_PORT)) {
                endpoints.put(
                        process.name(),
                        new Endpoint(process.name(), List.of(local(RABBITMQ_METRICS_PORT, "/metrics"))));
            }
        }
        for (URI server : targets.servers()) addUnseen("chat-" + Targets.port(server), server, endpoints);
        URI history = targets.history();
        if (history != null && targets.servers().stream().noneMatch(server -> isSame(server, history)))
            addUnseen(ProcessFinder.CONSUMER, history, endpoints);
        return List.copyOf(endpoints.values());
    }

    private void addUnseen(String program, URI uri, Map<String, Endpoint> endpoints) {
        int port = Targets.port(uri);
        boolean seen = Targets.isHere(uri)
                && found.stream().anyMatch(process -> process.ports().contains(port));
        if (seen || port + MANAGEMENT_OFFSET > HIGHEST_PORT) return;
        URI candidate = URI.create("http://" + host(uri) + ":" + (port + MANAGEMENT_OFFSET) + MetricsProbe.PATH);
        endpoints.merge(program, new Endpoint(program, List.of(candidate)), (first, other) -> first);
    }

    private static boolean isSame(URI server, URI history) {
        return Targets.port(server) == Targets.port(history) && Objects.equals(server.getHost(), history.getHost());
    }

    private static String host(URI uri) {
        return Objects.requireNonNullElse(uri.getHost(), "localhost");
    }

    private static URI local(int port, String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    private void postgres() {
        Database database = database();
        if (database != null) probes.add(new PostgresProbe(database));
        else if (find(ProcessFinder.POSTGRESQL).isPresent())
            remarks.add("PostgreSQL is not asked for its statistics: --postgres-url or --platform-dir says where");
    }

    private @Nullable Database database() {
        String url = settings.postgresUrl();
        if (url != null) return Database.parse(url);
        Path directory = settings.platformDirectory();
        if (directory == null) return null;
        List<Database> databases = new PlatformDirectory(directory).databases();
        if (!proc.exists()) return databases.isEmpty() ? null : databases.getFirst();
        // The directory may be of an earlier run: the database must be the one that the consumer uses.
        return find(ProcessFinder.POSTGRESQL)
                .flatMap(process -> databases.stream()
                        .filter(database -> process.ports().contains(database.port()))
                        .findFirst())
                .orElse(null);
    }

    private void rabbitmq() {
        if (!settings.askRabbitmqctl()) return;
        Path rabbitmqctl = settings.rabbitmqctl();
        Path directory = settings.platformDirectory();
        if (rabbitmqctl == null && directory != null) rabbitmqctl = new PlatformDirectory(directory).rabbitmqctl();
        if (rabbitmqctl != null) probes.add(new RabbitctlProbe(rabbitmqctl));
        else remarks.add("RabbitMQ is not asked: there is no rabbitmqctl in the platform's directory");
    }

    private Optional<Found> find(String name) {
        return found.stream().filter(process -> process.name().equals(name)).findFirst();
    }

    private static String join(List<URI> uris) {
        return uris.stream().map(URI::toString).collect(Collectors.joining(", "));
    }
}
