package chat.bench.asking;

import chat.bench.platform.Checkout;
import chat.bench.result.ResultFiles;
import chat.nodes.PostgresNode;
import chat.nodes.PostgresSettings;
import chat.persistence.rollup.Rollups;
import chat.persistence.store.Pools;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** Runs {@code ./bench queries}: measures every REST query on many messages, while more are stored. */
@Command(
        name = "queries",
        mixinStandardHelpOptions = true,
        description =
                "Fills its own PostgreSQL, rolls up, compares the views with the messages, and runs every REST query"
                        + " without the cache.")
public final class QueriesCommand implements Callable<Integer> {
    @ParentCommand
    private @Nullable ResultFiles files;

    @Option(
            names = "--rows",
            split = ",",
            description = "numbers of messages, measured one after the other (default: 1000000)")
    private List<Long> rows = List.of(1_000_000L);

    @Option(names = "--users", description = "distribution of messages over users: uniform or zipf (default: uniform)")
    private String users = "uniform";

    @Option(names = "--days", description = "days over which they are spread, until now (default: 30)")
    private double days = 30;

    @Option(names = "--rate", description = "messages per second stored during the queries; 0: none (default: 2000)")
    private int rate = 2_000;

    @Option(names = "--questions", description = "queries of each kind (default: 500)")
    private int questions = 500;

    @Option(
            names = "--warm-up",
            description = "warm-up queries of each kind; with few, the measurement includes JIT compilation"
                    + " (default: 2000)")
    private int warmUp = 2_000;

    @Option(names = "--askers", description = "clients that query at the same time (default: 1)")
    private int askers = 1;

    @Option(names = "--explain", description = "also write PostgreSQL's plan of each kind of query, to a text file")
    private boolean explain;

    private QueriesCommand() {}

    @Override
    public Integer call() throws Exception {
        PostgresNode node = new PostgresNode(PostgresSettings.inTemporaryDirectory());
        // PostgreSQL would survive Ctrl-C. Stopping it twice does no harm.
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(node::close));
        String origin = Checkout.own().describe();
        List<String> report = new ArrayList<>(List.of(origin));
        List<String> plans = new ArrayList<>(List.of(origin));
        try (node) {
            Archive archive = new Archive(node.start(), Duration.ofMinutes((long) (days * 24 * 60)));
            SimpleMeterRegistry meters = new SimpleMeterRegistry();
            try (Pools pools = archive.pools(false, meters)) {
                archive.create(pools);
                long before = 0;
                for (long step : rows) {
                    fill(archive, pools, before, step, report);
                    before = step;
                }
                ask(archive, pools, before, meters, report);
            }
            if (explain) explain(archive, rows.getLast(), node.log(), plans);
        }
        Objects.requireNonNull(files).write("queries", "md", report);
        if (explain) files.write("query-plans", "txt", plans);
        return 0;
    }

    private static void say(List<String> report, String line) {
        report.add(line);
        System.out.println(line);
    }

    private void fill(Archive archive, Pools pools, long before, long step, List<String> report) throws Exception {
        long start = System.nanoTime();
        archive.fill(before, step, rows.getLast(), Archive.Users.parse(users));
        archive.execute("VACUUM ANALYZE");
        say(
                report,
                String.format(Locale.ROOT, "%n%,d messages, %s users (%.0f s to fill)", step, users, seconds(start)));
        Rollups rollups = Archive.rollups(pools, new SimpleMeterRegistry());
        start = System.nanoTime();
        int folded = rollups.fold();
        say(
                report,
                String.format(
                        Locale.ROOT,
                        "- folded %,d messages in %.1f s: %,.0f/s",
                        folded,
                        seconds(start),
                        folded / seconds(start)));
        archive.execute("VACUUM ANALYZE", "CHECKPOINT");
        rollups.refresh(Duration.ZERO);
        // Again, with all pages in memory and a few rows changed.
        archive.fill(step, step, step, Archive.Users.parse(users));
        archive.execute("UPDATE rollup_state SET folds = folds + 1");
        rollups.refresh(Duration.ZERO);
        for (String line :
                archive.column("SELECT '- refreshed ' || view_name || ': ' || millis || ' ms' FROM view_refresh"))
            say(report, line);
        for (String line : archive.column("""
                SELECT format('- %s: %s', what, pg_size_pretty(bytes)) FROM (
                    SELECT relname AS what, pg_total_relation_size(oid) AS bytes FROM pg_class
                    WHERE relname IN ('user_room', 'user_total', 'room_total', 'activity', 'activity_detail', 'rollup_pending')
                    UNION ALL SELECT 'messages with indexes', sum(pg_total_relation_size(inhrelid)) FROM pg_inherits
                    WHERE inhparent = 'messages'::regclass) AS t ORDER BY bytes DESC""")) say(report, line);
        for (String line : ViewTimes.table(archive)) say(report, line);
    }

    private static double seconds(long startNanos) {
        return (System.nanoTime() - startNanos) / 1e9;
    }

    private void ask(Archive archive, Pools pools, long messages, SimpleMeterRegistry meters, List<String> report)
            throws Exception {
        List<Asked> all = Asked.all();
        Rollups rollups = Archive.rollups(pools, meters);
        try (Rest rest = new Rest(pools);
                Arriving arriving = new Arriving(Archive.store(pools), rate).start()) {
            rollups.start();
            askAll(rest, all, new Asked.Drawn(archive, messages, 0), warmUp, false);
            long from = System.nanoTime();
            long before = arriving.stored();
            try (ExecutorService threads = Executors.newFixedThreadPool(askers)) {
                List<Future<?>> ends = new ArrayList<>();
                for (int asker = 1; asker <= askers; asker++) {
                    Asked.Drawn drawn = new Asked.Drawn(archive, messages, asker);
                    ends.add(threads.submit(() -> {
                        askAll(rest, all, drawn, questions / askers, true);
                        return null;
                    }));
                }
                for (Future<?> end : ends) end.get();
            }
            double seconds = seconds(from);
            say(
                    report,
                    String.format(
                            Locale.ROOT,
                            "%n%d queries of each kind after %d for warm-up, %d at a time, in %.0f s; %,.0f messages/s stored at the same time; a fold took %.0f ms",
                            questions,
                            warmUp,
                            askers,
                            seconds,
                            (arriving.stored() - before) / seconds,
                            meters.get("persistence.rollup.fold").timer().mean(TimeUnit.MILLISECONDS)));
        } finally {
            rollups.stop();
        }
        say(report, "\n| query | p50 ms | p99 ms | max ms | target ms | met |\n|---|---|---|---|---|---|");
        for (Asked asked : all) say(report, asked.row());
    }

    /** Runs the kinds of queries alternately, so that all see the same conditions. */
    private static void askAll(Rest rest, List<Asked> all, Asked.Drawn drawn, int rounds, boolean counts)
            throws IOException, InterruptedException {
        for (int round = 0; round < rounds; round++)
            for (Asked asked : all) {
                String path = asked.path().apply(drawn);
                long start = System.nanoTime();
                int unused = rest.ask(path);
                long micros = (System.nanoTime() - start) / 1000;
                if (counts) asked.micros().recordValue(micros);
            }
    }

    private void explain(Archive archive, long messages, Path log, List<String> plans)
            throws IOException, InterruptedException, SQLException {
        try (Pools pools = archive.pools(true, new SimpleMeterRegistry());
                Rest rest = new Rest(pools)) {
            Asked.Drawn drawn = new Asked.Drawn(archive, messages, 7);
            for (Asked asked : Asked.all()) {
                String path = asked.path().apply(drawn);
                // Twice, so that the second run finds its pages in memory.
                int unused = rest.ask(path);
                int from = Files.readAllLines(log).size();
                int unusedToo = rest.ask(path);
                List<String> lines = Files.readAllLines(log);
                plans.addAll(List.of("", asked.name(), path, ""));
                plans.addAll(lines.subList(from, lines.size()));
            }
        }
    }
}
