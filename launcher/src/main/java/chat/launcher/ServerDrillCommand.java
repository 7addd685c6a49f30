package chat.launcher;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs {@code infra/drills/servers}. */
@Command(
        name = "drill-servers",
        mixinStandardHelpOptions = true,
        description =
                "Starts its own chat servers and broker, injects faults under load, and prints the effect of each fault.")
final class ServerDrillCommand implements Callable<Integer> {
    @Option(
            names = "--steps",
            split = ",",
            description = "steps to run: ${COMPLETION-CANDIDATES} (default: all, in this order)")
    List<ServerDrill.Step> steps = List.of(ServerDrill.Step.values());

    @Mixin
    DrillOptions options = new DrillOptions(2, 60);

    /** Returns 0 if no message was lost, duplicated or reordered and all bounds held, else 1; 2 if a start failed. */
    @Override
    public Integer call() throws InterruptedException {
        // The first third of the load is the baseline.
        Duration before = Duration.ofSeconds(options.seconds / 3);
        return options.run(
                Cluster.Size.servers(options.servers),
                before,
                (cluster, drill, out) ->
                        new ServerDrill(cluster, drill).run(steps).stream().allMatch(Drill.Outcome::passed));
    }
}
