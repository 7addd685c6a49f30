package chat.launcher;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What {@code infra/drills/servers} does. */
@Command(
        name = "drill-servers",
        mixinStandardHelpOptions = true,
        description =
                "Starts chat servers and one broker of its own, puts faults into them under load, and tells what that cost.")
final class ServerDrillCommand implements Callable<Integer> {
    @Option(
            names = "--steps",
            split = ",",
            description = "some of: ${COMPLETION-CANDIDATES} (default: all, in this order)")
    List<ServerDrill.Step> steps = List.of(ServerDrill.Step.values());

    @Mixin
    DrillOptions options = new DrillOptions(2, 60);

    /** 0: nothing was lost, doubled or reordered, and all bounds were kept; 1: not so; 2: something did not start. */
    @Override
    public Integer call() throws InterruptedException {
        // A third of the load tells what is usual.
        Duration before = Duration.ofSeconds(options.seconds / 3);
        return options.run(
                Cluster.Size.servers(options.servers),
                before,
                (cluster, drill, out) ->
                        new ServerDrill(cluster, drill).run(steps).stream().allMatch(Drill.Outcome::passed));
    }
}
