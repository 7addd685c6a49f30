package chat.bench.platform;

import chat.load.lab.child.Child;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/** A running platform, started by {@link Platforms}. */
public final class Platform {
    private static final Pattern PROGRAM = Pattern.compile("\\b(server-\\d+|consumer|rabbitmq) (\\d+)");

    private final String name;
    private final Child run;
    private final List<Long> servers;
    private final List<Long> consumers;
    private final List<Long> brokers;

    /** @param pids names and process ids, such as {@code server-1 4711, consumer 4712}; may be empty */
    Platform(String name, Child run, String pids) {
        this.name = name;
        this.run = run;
        this.servers = pids("server-", pids);
        this.consumers = pids("consumer", pids);
        this.brokers = pids("rabbitmq", pids);
    }

    static List<Long> pids(String program, String pids) {
        return PROGRAM.matcher(pids)
                .results()
                .filter(found -> found.group(1).startsWith(program))
                .map(found -> Long.parseLong(found.group(2)))
                .toList();
    }

    public String name() {
        return name;
    }

    Child run() {
        return run;
    }

    /** Process ids of the chat servers; none if the platform is one process. */
    public List<Long> servers() {
        return servers;
    }

    /** Process id of RabbitMQ; none if the platform is one process. */
    public List<Long> brokers() {
        return brokers;
    }

    List<Long> consumers() {
        return consumers;
    }

    /** Returns the CPU time that the processes have used so far. */
    public static Duration cpu(List<Long> pids) {
        return pids.stream()
                .map(pid -> ProcessHandle.of(pid)
                        .flatMap(process -> process.info().totalCpuDuration())
                        .orElseThrow(() -> new MeasurementFailure("Process " + pid + " of the platform has ended.")))
                .reduce(Duration.ZERO, Duration::plus);
    }
}
