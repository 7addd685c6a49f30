package chat.bench.writing;

import chat.bench.result.ResultFiles;
import chat.log.RoomLog;
import chat.log.rabbit.RabbitRoomLog;
import chat.nodes.Directories;
import chat.nodes.PostgresNode;
import chat.nodes.PostgresSettings;
import chat.nodes.RabbitNode;
import chat.nodes.RabbitSettings;
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
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** Runs {@code ./bench sustain}: publishes messages at a steady rate for a long time; the consumer must keep up. */
@Command(
        name = "sustain",
        mixinStandardHelpOptions = true,
        description = "Publishes to its own RabbitMQ at a steady rate, runs the whole consumer with its own PostgreSQL,"
                + " and checks every row.")
public final class SustainCommand implements Callable<Integer> {
    private static final long PAUSE_MILLIS = 2;
    private static final int SECONDS_OF_A_MINUTE = 60;
    private static final int THIRDS = 3;
    /** Maximum time to store the rest at the end. */
    private static final Duration CATCH_UP = Duration.ofMinutes(10);

    @ParentCommand
    private @Nullable ResultFiles files;

    @CommandLine.Spec
    CommandLine.Model.@Nullable CommandSpec spec;

    @Option(
            names = "--rate",
            description =
                    "messages per second (default: 30000). A million take about 0.7 GB of disk: log, rows and indexes")
    private int rate = 30_000;

    @Option(names = "--minutes", description = "duration (default: 30)")
    private int minutes = 30;

    @Option(names = "--rows", description = "rows in the table before the start (default: 0)")
    private long rows;

    @Option(
            names = "--rooms-of-a-user",
            description = "number of rooms in which each of 100,000 users writes (default: 10)")
    private int roomsOfAUser = 10;

    @Option(names = "--batch", description = "rows in a batch (default: 1000)")
    private int batch = 1_000;

    @Option(names = "--consumer-writers", description = "batches written at the same time (default: 2)")
    private int writers = 2;

    private final List<Minute> past = new ArrayList<>();

    private SustainCommand() {}

    /**
     * @param number number of the minute, from 1
     * @param fed messages published in it
     * @param stored rows stored in it
     * @param waiting messages in the log that were not stored at its end
     * @param heapMegabytes lowest heap after a collection in it; publisher and consumer share the JVM
     * @param pauseMillis time that collections took in it
     * @param cost cost of a row; of the client, publishing included
     */
    private record Minute(
            int number,
            double seconds,
            long fed,
            long stored,
            long waiting,
            long heapMegabytes,
            long pauseMillis,
            Cost cost) {
        static final String HEADER =
                "minute,fed_per_second,stored_per_second,waiting,heap_after_collection_mb,collections_ms,"
                        + Cost.HEADER;

        String csv() {
            return String.format(
                    Locale.ROOT,
                    "%d,%.0f,%.0f,%d,%d,%d,%s",
                    number,
                    fed / seconds,
                    perSecond(),
                    waiting,
                    heapMegabytes,
                    pauseMillis,
                    cost.csv());
        }

        double perSecond() {
            return stored / seconds;
        }
    }

    /** Returns 0 if every message is one row and was counted once, else 1. */
    @Override
    public Integer call() throws Exception {
        check();
        Path directory = Files.createTempDirectory("confab-bench");
        PostgresNode postgres = new PostgresNode(PostgresSettings.inTemporaryDirectory());
        RabbitNode rabbit = new RabbitNode(RabbitSettings.in(directory));
        // The servers would survive Ctrl-C. Stopping them twice does no harm.
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(postgres::close));
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(rabbit::close));
        try (postgres;
                rabbit) {
            Table table = new Table(postgres.start());
            table.create(rows);
            rabbit.start();
            try (RoomLog toWrite = WritingCommand.log(rabbit, RabbitRoomLog.Access.READ_AND_WRITE);
                    RoomLog toRead = WritingCommand.log(rabbit, RabbitRoomLog.Access.READ_AND_TELL);
                    Feed feed = new Feed(toWrite, roomsOfAUser);
                    WholeConsumer consumer = new WholeConsumer(table, toRead, batch, writers, true)) {
                consumer.start();
                long messages = run(table, feed, consumer);
                long last = System.nanoTime();
                feed.drain();
                catchUp(consumer, messages);
                double behind = (System.nanoTime() - last) / 1e9;
                consumer.countTheRest();
                return report(table, messages, consumer.stored(), behind) ? 0 : 1;
            }
        } finally {
            write();
            Directories.delete(directory);
        }
    }

    private void check() {
        if (rate < 1 || rate > 1_000_000) throw wrong("--rate must be 1 to 1000000, not " + rate);
        if (minutes < 1 || minutes > 1_440) throw wrong("--minutes must be 1 to 1440, not " + minutes);
        if (roomsOfAUser < 1 || roomsOfAUser > Messages.ROOMS)
            throw wrong("--rooms-of-a-user must be 1 to " + Messages.ROOMS + ", not " + roomsOfAUser);
    }

    private CommandLine.ParameterException wrong(String message) {
        return new CommandLine.ParameterException(Objects.requireNonNull(spec).commandLine(), message);
    }

    /** Returns the number of messages published. */
    private long run(Table table, Feed feed, WholeConsumer consumer) throws InterruptedException, SQLException {
        System.out.println(Minute.HEADER);
        Heap heap = new Heap();
        long begun = System.nanoTime();
        long fed = 0;
        Usage usage = Usage.now(table);
        for (int minute = 1; minute <= minutes; minute++) {
            long fedBefore = fed;
            long storedBefore = consumer.stored();
            long from = System.nanoTime();
            long meant = begun + TimeUnit.MINUTES.toNanos(minute - 1L);
            for (int second = 1; second <= SECONDS_OF_A_MINUTE; second++) {
                fed = feedUntil(meant + TimeUnit.SECONDS.toNanos(second), begun, fed, feed);
                heap.look();
            }
            long stored = consumer.stored();
            Usage used = Usage.now(table);
            Minute over = new Minute(
                    minute,
                    (System.nanoTime() - from) / 1e9,
                    fed - fedBefore,
                    stored - storedBefore,
                    fed - stored,
                    heap.lowestMegabytes(),
                    heap.pauseMillis(),
                    used.since(usage, stored - storedBefore));
            usage = used;
            past.add(over);
            System.out.println(over.csv());
        }
        return fed;
    }

    /** Returns the number of messages published since the start. */
    private long feedUntil(long end, long begun, long before, Feed feed) throws InterruptedException {
        long fed = before;
        for (long now = System.nanoTime(); now < end; now = System.nanoTime()) {
            for (long due = (long) ((now - begun) / 1e9 * rate); fed < due; fed++) feed.next();
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
        return fed;
    }

    /** Waits until all messages are stored, or until the time limit. */
    private static void catchUp(WholeConsumer consumer, long messages) throws InterruptedException {
        long from = System.nanoTime();
        while (consumer.stored() < messages && System.nanoTime() - from < CATCH_UP.toNanos())
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    }

    private boolean report(Table table, long messages, long stored, double behind) throws Exception {
        long there = table.count() - rows;
        long counted = Long.parseLong(table.column("SELECT coalesce(sum(messages), 0) FROM user_total")
                .getFirst());
        System.out.printf(
                Locale.ROOT,
                "%npublished %,d, stored %,d, rows %,d, counted %,d; storing the rest after the last publish took %.1f s%n",
                messages,
                stored,
                there,
                counted,
                behind);
        double first = third(0);
        double last = third(THIRDS - 1);
        System.out.printf(
                Locale.ROOT,
                "thirds %,.0f, %,.0f, %,.0f rows/s; from the first to the last %+.1f %%%n",
                first,
                third(1),
                last,
                100 * (last / first - 1));
        long pauses = past.stream().mapToLong(Minute::pauseMillis).sum();
        double seconds = past.stream().mapToDouble(Minute::seconds).sum();
        System.out.printf(
                Locale.ROOT,
                "collections took %,d ms, %.2f %% of the time; at most %,.0f I/O operations per second in a minute%n",
                pauses,
                pauses / seconds / 10,
                past.stream()
                        .mapToDouble(minute -> minute.cost().ioPerSecond())
                        .max()
                        .orElse(0));
        return there == messages && stored == messages && counted == messages;
    }

    private void write() throws IOException {
        Objects.requireNonNull(files)
                .write(
                        "sustain",
                        "csv",
                        Stream.concat(Stream.of(Minute.HEADER), past.stream().map(Minute::csv))
                                .toList());
    }

    /** Returns the mean of rows per second. */
    private double third(int number) {
        int size = Math.max(1, past.size() / THIRDS);
        int from = Math.min(past.size() - 1, number * size);
        int to = number == THIRDS - 1 ? past.size() : Math.min(past.size(), from + size);
        return past.subList(from, to).stream()
                .mapToDouble(Minute::perSecond)
                .average()
                .orElse(0);
    }
}
