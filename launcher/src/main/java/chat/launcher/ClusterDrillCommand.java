package chat.launcher;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs {@code infra/drills/cluster}. */
@Command(
        name = "drill-cluster",
        mixinStandardHelpOptions = true,
        description =
                "Starts its own cluster, stops one node of each kind under load, and prints the effect of each fault.")
final class ClusterDrillCommand implements Callable<Integer> {
    private static final Duration BEFORE = Duration.ofSeconds(3);

    @Option(
            names = "--steps",
            split = ",",
            description = "steps to run: ${COMPLETION-CANDIDATES} (default: all, in this order)")
    List<ClusterDrill.Step> steps = List.of(ClusterDrill.Step.values());

    @Option(names = "--brokers", description = "3, 5 or 7 (default: ${DEFAULT-VALUE})")
    int brokers = 3;

    @Mixin
    DrillOptions options = new DrillOptions(3, 30);

    /** Returns 0 if no message was lost, duplicated or reordered, 1 if one was, 2 for wrong usage or a failed start. */
    @Override
    public Integer call() throws InterruptedException {
        if (brokers != 3 && brokers != 5 && brokers != 7)
            throw options.wrong("--brokers must be 3, 5 or 7, not " + brokers);
        return options.run(new Cluster.Size(options.servers, brokers, 2, true), BEFORE, (cluster, drill, out) -> {
            ClusterDrill faults = new ClusterDrill(cluster, Cluster.partitions(), drill, out);
            boolean passed = faults.run(steps).stream().allMatch(Drill.Outcome::passed);
            return faults.databasesAgree() && passed;
        });
    }
}
