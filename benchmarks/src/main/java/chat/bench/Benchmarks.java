package chat.bench;

import chat.bench.asking.QueriesCommand;
import chat.bench.pairs.PairsCommand;
import chat.bench.result.ResultFiles;
import chat.bench.streams.StreamsCommand;
import chat.bench.targets.TableCommand;
import chat.bench.writing.MonthsCommand;
import chat.bench.writing.SustainCommand;
import chat.bench.writing.WritingCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs {@code ./bench}: the JMH benchmarks, or one of the commands. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        description = "Measures the parts of the message path: time and allocated bytes of each operation.",
        subcommands = {
            StreamsCommand.class,
            WritingCommand.class,
            SustainCommand.class,
            MonthsCommand.class,
            QueriesCommand.class,
            TableCommand.class,
            PairsCommand.class
        })
public final class Benchmarks implements Callable<Integer>, ResultFiles {
    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "directory for the results, in JSON (default: benchmarks/results)")
    private Path out = Path.of("benchmarks", "results");

    @Option(names = "--forks", description = "JVMs for each benchmark, one after the other (default: 2)")
    private int forks = 2;

    @Option(
            names = "--iterations",
            description = "one-second iterations in each JVM, after two for warm-up (default: 3)")
    private int iterations = 3;

    @Parameters(
            arity = "0..1",
            paramLabel = "PATTERN",
            description = "only benchmarks whose name contains a match, such as chat.server.room.FanOutBenchmark")
    private String pattern = ".*";

    private Benchmarks() {}

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Benchmarks()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException, RunnerException {
        Path results = newFile("parts", "json");
        new Runner(new OptionsBuilder()
                        .include(pattern)
                        .forks(forks)
                        .warmupIterations(2)
                        .warmupTime(TimeValue.seconds(1))
                        .measurementIterations(iterations)
                        .measurementTime(TimeValue.seconds(1))
                        .addProfiler(GCProfiler.class)
                        .resultFormat(ResultFormatType.JSON)
                        .result(results.toString())
                        .build())
                .run();
        System.err.println("Results: " + results);
        return 0;
    }

    @Override
    public Path newFile(String kind, String extension) throws IOException {
        Files.createDirectories(out);
        String time = LocalDateTime.now(ZoneId.systemDefault())
                .format(DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT));
        return out.resolve(kind + "-" + time + "." + extension);
    }
}
