package chat.bench.platform;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A directory with scripts instead of Confab's: platforms that sleep and loads with the same result each time. */
public final class FakeCheckout {
    private static final String RUN = """
            #!/bin/sh
            echo "run $* ${JDK_JAVA_OPTIONS:-}" >>"$(dirname "$0")/calls"
            sleep 600 &
            consumer=$!
            trap 'kill $consumer; exit 143' TERM
            echo "  Data   /nowhere: data"
            case $1 in
              --servers) echo "  Pids   server-1 $$, consumer $consumer, rabbitmq $consumer" ;;
            esac
            while kill -0 $consumer; do wait $consumer; done
            """;

    private static final String LOAD = """
            #!/bin/sh
            echo "load $*" >>"$(dirname "$0")/calls"
            while [ "$1" != --out ]; do shift; done
            cp "$(dirname "$0")/summary.json" "$2/summary.json"
            echo "Reading plan"
            echo "  FAIL  order: 3"
            exit "$(cat "$(dirname "$0")/code")"
            """;

    /** A load with 1,000 messages per second. */
    public static final String SUMMARY = """
            {"passed": true,
             "seconds": {"join": 1.0, "chat": 18.7, "storage": 9.404, "all": 30},
             "rates": {"sends": 1000.0, "accepted": 1000.4, "deliveries": 51000},
             "latencyMillis": {
               "frame to ACK": {"count": 9, "mean": 9, "p50": 8.5, "p95": 20, "p99": 33.0},
               "frame to delivery at others": {"count": 9, "mean": 9, "p50": 8.25, "p99": 32.0},
               "JOIN to WELCOME": {"count": 9, "mean": 9, "p50": 50, "p99": 128.04}},
             "processes": {
               "generator": {"cpuMean": 0.6}, "chat-8081": {"cpuMean": 0.5}, "chat-8082": {"cpuMean": 0.25},
               "consumer": {}, "rabbitmq": {"cpuMean": 0.27}},
             "verdict": {"checks": []}}
            """;

    private final Path root;

    /** Writes the scripts into an empty directory. */
    public FakeCheckout(Path root) throws IOException {
        this.root = root;
        write("run", RUN);
        write("load", LOAD);
        write("summary.json", SUMMARY);
        exitCode(0);
    }

    /** Sets the exit code of later loads. */
    public void exitCode(int code) throws IOException {
        write("code", code + "\n");
    }

    private void write(String name, String content) throws IOException {
        Path file = Files.writeString(root.resolve(name), content);
        if (!file.toFile().setExecutable(true)) throw new IOException("cannot make " + file + " executable");
    }

    public Checkout checkout() {
        return new Checkout(root);
    }

    /** Returns the names and arguments of the scripts that have been called, without paths of files. */
    public List<String> calls() throws IOException {
        return Files.readAllLines(root.resolve("calls")).stream()
                .map(call ->
                        call.replaceAll(" --(dir|platform-dir|out) \\S+", "").strip())
                .toList();
    }
}
