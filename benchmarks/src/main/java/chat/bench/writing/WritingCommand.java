package chat.bench.writing;

import chat.bench.result.ResultFiles;
import chat.log.RoomLog;
import chat.log.rabbit.RabbitLogSettings;
import chat.log.rabbit.RabbitRoomLog;
import chat.nodes.Directories;
import chat.nodes.PostgresNode;
import chat.nodes.PostgresSettings;
import chat.nodes.RabbitNode;
import chat.nodes.RabbitSettings;
import chat.persistence.batch.StoreUnavailable;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** Runs {@code ./bench writing}: measures ways to insert messages into PostgreSQL, and the cost of each part. */
@Command(
        name = "writing",
        mixinStandardHelpOptions = true,
        description = "Inserts messages into its own PostgreSQL and measures every combination of the options.")
public final class WritingCommand implements Callable<Integer> {
    private static final int PARTITIONS = 4;

    @ParentCommand
    private @Nullable ResultFiles files;

    @Option(
            names = "--way",
            split = ",",
            description = "single, batch, rewritten, values-list, unnest, copy, straight; none: only --drain"
                    + " (default: all)")
    private List<String> ways = List.of("single", "batch", "rewritten", "values-list", "unnest", "copy", "straight");

    @Option(names = "--writers", split = ",", description = "connections that insert (default: 1,2,4)")
    private List<Integer> writers = List.of(1, 2, 4);

    @Option(names = "--batch", split = ",", description = "rows in a batch (default: 1000)")
    private List<Integer> batches = List.of(1_000);

    @Option(
            names = "--without",
            split = ",",
            description = "nothing, indexes, wait (for the disk), wal, or the name of an index (default: nothing)")
    private List<String> without = List.of("nothing");

    @Option(names = "--rows", split = ",", description = "rows in the table before the start (default: 0)")
    private List<Long> rows = List.of(0L);

    @Option(
            names = "--seconds",
            description = "duration of one measurement, after a third of it for warm-up (default: 6)")
    private double seconds = 6;

    @Option(
            names = "--drain",
            paramLabel = "MESSAGES",
            description = "first drains a backlog of this size from a RabbitMQ through the whole consumer; 0: does not")
    private long drain;

    @Option(
            names = "--consumer-writers",
            split = ",",
            description = "batches that the consumer, of 4 partitions, writes at the same time (default: 2)")
    private List<Integer> consumerWriters = List.of(2);

    @Option(
            names = "--roll-ups",
            split = ",",
            arity = "1",
            paramLabel = "true|false",
            description = "whether the consumer maintains roll-ups and refreshes the views (default: true)")
    private List<Boolean> rollups = List.of(true);

    @Option(names = "--repeats", description = "repetitions of draining, each followed by the first --way (default: 1)")
    private int repeats = 1;

    private final List<Measured> results = new ArrayList<>();

    private WritingCommand() {}

    @Override
    public Integer call() throws Exception {
        Path directory = Files.createTempDirectory("confab-bench");
        PostgresNode postgres = new PostgresNode(PostgresSettings.inTemporaryDirectory());
        // The servers would survive Ctrl-C. Stopping them twice does no harm.
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(postgres::close));
        try (postgres) {
            Table table = new Table(postgres.start());
            if (drain > 0) drain(table, directory);
            else for (long before : rows) measure(table, before);
            write();
        } finally {
            Directories.delete(directory);
        }
        return 0;
    }

    private void measure(Table table, long before) throws SQLException, StoreUnavailable, InterruptedException {
        List<Case> cases = cases(before);
        for (int i = 0; i < cases.size(); i++) {
            Case what = cases.get(i);
            // Creating a large table takes minutes, and the rows that one measurement adds are negligible.
            boolean asItWas = before > 0 && i > 0 && cases.get(i - 1).leavesTheTableAsItIs();
            if (!asItWas) table.create(before);
            if (i == 0) tellSizes(table, before);
            table.leaveOut(what.without());
            if (i == 0) {
                Measured warmUp = new Writers(table).measure(what, Math.min(seconds, 3));
                System.err.println("warm-up: " + warmUp.csv());
            }
            tell(new Writers(table).measure(what, seconds));
        }
    }

    private List<Case> cases(long before) {
        List<Case> cases = new ArrayList<>();
        for (String left : without)
            for (int size : batches)
                for (String way : ways)
                    for (int count : writers)
                        if (!way.equals("none")) cases.add(new Case(Way.parse(way), count, size, left, before));
        return cases;
    }

    private void tell(Measured measured) {
        results.add(measured);
        System.err.println(measured.csv());
    }

    private static void tellSizes(Table table, long rows) throws SQLException {
        if (rows == 0) return;
        System.out.println("\n| of " + rows + " rows | size | bytes per row |\n|---|---|---|");
        table.sizes().forEach(System.out::println);
    }

    private void drain(Table table, Path directory) throws Exception {
        RabbitNode rabbit = new RabbitNode(RabbitSettings.in(directory));
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(rabbit::close));
        try (rabbit) {
            rabbit.start();
            try (RoomLog log = log(rabbit, RabbitRoomLog.Access.READ_AND_WRITE)) {
                try (Feed feed = new Feed(log, Messages.ROOMS)) {
                    for (long i = 0; i < drain; i++) feed.next();
                    feed.drain();
                }
            }
            System.err.println("backlog: " + drain);
            for (long before : rows)
                for (int repeat = 0; repeat < repeats; repeat++)
                    for (int size : batches) {
                        for (int count : consumerWriters)
                            for (boolean counted : rollups) {
                                table.create(before);
                                tellSizes(table, before);
                                String name = counted ? "drain, counted" : "drain";
                                try (RoomLog log = log(rabbit, RabbitRoomLog.Access.READ_AND_TELL)) {
                                    tell(new Drain(table, log, count, counted).measure(name, drain, size, before));
                                }
                            }
                        for (Case what : cases(before)) {
                            if (what.batch() != size) continue;
                            if (before == 0) table.create(before);
                            table.leaveOut(what.without());
                            tell(new Writers(table).measure(what, seconds));
                        }
                    }
        }
    }

    static RoomLog log(RabbitNode rabbit, RabbitRoomLog.Access access) {
        return new RabbitRoomLog(
                new RabbitLogSettings(URI.create(rabbit.uri()), PARTITIONS, "chat", 16, Duration.ofSeconds(5)),
                "bench",
                access);
    }

    private void write() throws IOException {
        System.out.println("\n" + Measured.TABLE_HEADER);
        results.forEach(measured -> System.out.println(measured.tableRow()));
        Objects.requireNonNull(files)
                .write(
                        "writing",
                        "csv",
                        Stream.concat(
                                        Stream.of(Measured.HEADER),
                                        results.stream().map(Measured::csv))
                                .toList());
    }
}
