package chat.launcher.chaos;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Connects misbehaving clients: a second load, which checks their treatment itself. */
final class SecondLoad implements Fault {
    private static final Duration LIMIT = Duration.ofMinutes(3);

    private final Target target;
    private final String scenario;
    private final List<String> arguments;
    private int result;

    /**
     * @param scenario of the load client
     * @param arguments its options
     */
    SecondLoad(Target target, String scenario, String... arguments) {
        this.target = target;
        this.scenario = scenario;
        this.arguments = List.of(arguments);
    }

    private Path log() {
        return target.logs().resolve("second-" + scenario + ".log");
    }

    @Override
    public void inject() throws InterruptedException {
        List<String> all = new ArrayList<>(arguments);
        // Without HAProxy's buffers between, because they hide how much a client has read.
        target.cluster().servers().forEach(server -> all.add("--url=ws://127.0.0.1:" + server.port()));
        all.add("--history-url=" + target.proxy());
        all.add("--out=" + target.logs().resolve("second-" + scenario));
        try (LoadRun run = LoadRun.start(target.programs(), log(), scenario, all)) {
            result = run.result(LIMIT);
        }
    }

    @Override
    public void heal() {}

    @Override
    public List<String> complaints() {
        return result == 0
                ? List.of()
                : List.of("the load " + scenario + " exited with code " + result + ": see " + log());
    }
}
