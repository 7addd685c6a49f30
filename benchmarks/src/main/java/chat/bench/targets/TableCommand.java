package chat.bench.targets;

import chat.bench.platform.Checkout;
import chat.bench.platform.MeasurementFailure;
import chat.bench.platform.Platforms;
import chat.nodes.SystemPath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs {@code ./bench table}: measures the performance targets of Confab. */
@Command(
        name = "table",
        mixinStandardHelpOptions = true,
        customSynopsis = "./bench table [RUNS] [ROW ...]",
        description = {
            "%nMeasures each ROW RUNS times (default: 3) and prints it as rows of a Markdown table: the median and every"
                    + " run. Without ROW, measures all rows, which takes about 70 minutes. Checks every delivery and"
                    + " stops at the first failure.",
            "%nNeeds Linux, RabbitMQ and an otherwise idle machine. To compare several servers with one, use ./bench"
                    + " pairs.%n"
        },
        footerHeading = "%nRows:%n",
        footer = {
            "  chat         20 rooms of 50 members who all send, one server, the consumer",
            "               paused: window 1 and window 16; window 1 alternates with",
            "               Centrifugo if it is installed",
            "  offered      the same at 5,000, 2,000, 500 and 50 messages per second, and 250",
            "               rooms of two at 500, alternating with Centrifugo",
            "  connections  10,000 connections, each in one room: 1,000 connect per",
            "               second, then 100 per second",
            "  standard     the standard run with consumer and PostgreSQL, alternating with",
            "               the same run on a log in memory",
            "  idle         memory per connection of 5,000 nearly idle connections: heap and",
            "               process"
        })
public final class TableCommand implements Callable<Integer> {
    @Parameters(arity = "0..*", hidden = true, description = "[RUNS] [ROW ...]")
    private List<String> words = new ArrayList<>();

    @Spec
    private @Nullable CommandSpec spec;

    private TableCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        TargetPlan plan = plan();
        Consumer<String> out = System.out::println;
        try (Platforms platforms = new Platforms(Checkout.own());
                TargetTable table =
                        new TargetTable(platforms, plan.runs(), SystemPath.isInstalled(TargetTable.CENTRIFUGO), out)) {
            table.print(plan.parts());
            return 0;
        } catch (MeasurementFailure failure) {
            System.err.println(failure.getMessage());
            return 1;
        }
    }

    private TargetPlan plan() {
        try {
            return TargetPlan.parse(words);
        } catch (IllegalArgumentException wrong) {
            throw new ParameterException(Objects.requireNonNull(spec).commandLine(), wrong.getMessage(), wrong);
        }
    }
}
