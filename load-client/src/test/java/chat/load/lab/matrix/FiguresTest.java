package chat.load.lab.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import chat.load.check.Checker;
import chat.load.check.RunHistory;
import chat.load.check.Verdict;
import chat.load.lab.matrix.Figures.Latency;
import chat.load.lab.matrix.Result.Outcome;
import chat.load.plan.Numbering;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** From a summary to a row of the table. */
class FiguresTest {
    private static final String SUMMARY = """
            {"rates":{"sends":1000.0,"accepted":0.0,"deliveries":50000.0},
             "latencyMillis":{"frame to ACK":{"count":0,"p50":0,"p99":0},
               "frame to delivery at others":{"count":9,"mean":3,"p50":2.5,"p99":7.25}},
             "processes":{"generator":{"cpuMean":0.9},"chat-8081":{"cpuMean":0.4},"rabbitmq":{"cpuMean":0.1},
               "postgres":{"cpuMean":null}},
             "peaks":{"consumer.depth":812,"consumer.lag":0.4},
             "plan":{"promises":["acks","storage"]},
             "verdict":{"checks":[{"name":"accepted is stored","status":"SKIPPED","count":0},
               {"name":"nobody received a TEXT twice","status":"FAIL","count":3},
               {"name":"every TEXT was accepted","status":"FAIL","count":2},
               {"name":"every member received every TEXT","status":"PASS","count":0}]}}""";

    @Test
    void aSummaryIsRead() {
        Figures figures = Figures.of(JsonMapper.shared().readTree(SUMMARY));
        assertThat(figures.rates()).containsExactly(Map.entry("sends", 1000.0), Map.entry("deliveries", 50_000.0));
        assertThat(figures.latencyMillis())
                .containsExactly(Map.entry("frame to delivery at others", new Latency(3, 2.5, 7.25)));
        assertThat(figures.fanOut()).isEqualTo(50);
        assertThat(figures.depthPeak()).isEqualTo(812);
        // Half a core for 50,000 deliveries per second.
        assertThat(figures.serverCpuMicrosPerDelivery()).isEqualTo(10.0);
        assertThat(figures.broken(Promise.DOUBLED)).isEqualTo(3);
        assertThat(figures.broken(Promise.OTHER)).isEqualTo(2);
        assertThat(figures.broken(Promise.LOST)).isZero();
        assertThat(figures.unchecked()).containsExactly("accepted is stored");
        assertThat(figures.promises()).containsExactly("acks", "storage");
    }

    @Test
    void aSummaryOfSomethingElseHasNoFigures() {
        Figures figures = Figures.of(JsonMapper.shared().readTree("{\"rates\":7,\"verdict\":[]}"));
        assertThat(figures.rates()).isEmpty();
        assertThat(figures.fanOut()).isNull();
        assertThat(figures.depthPeak()).isNull();
        assertThat(figures.serverCpuMicrosPerDelivery()).isNull();
        assertThat(figures.breaches()).isEmpty();
    }

    @Test
    void theChecksToldApartAreThoseOfTheChecker() {
        Verdict verdict = Checker.check(
                new RunHistory(new Numbering(1, 1, 1), RunHistory.Allowed.NOTHING, List.of(), List.of(), List.of(), 0));
        List<String> names = verdict.checks().stream().map(Verdict.Check::name).toList();
        for (Promise promise : Promise.values())
            assertThat(names.stream().filter(name -> Promise.of(name) == promise))
                    .as(promise.label)
                    .hasSizeGreaterThanOrEqualTo(promise == Promise.ORDER ? 4 : 2);
    }

    @Test
    void mediansStandWithTheirExtremes() {
        assertThat(Spread.of(List.of(5.0, 1.0, 3.0))).isEqualTo(new Spread(3, 1, 5));
        assertThat(Spread.of(List.of(4.0, 1.0))).isEqualTo(new Spread(2.5, 1, 4));
        assertThat(Spread.of(List.of())).isNull();
    }

    @Test
    void theTableTellsMediansRatiosBreachesAndWhatWasNotChecked() {
        Cell confab = new Cell(Map.of("server", "confab"), List.of("fanout"), null, List.of());
        Cell other = new Cell(Map.of("server", "other"), List.of("fanout"), null, List.of());
        MatrixPlan plan = new MatrixPlan(
                "compare",
                List.of(confab, other),
                3,
                0,
                false,
                0,
                Path.of("out"),
                new MatrixPlan.Limits(Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ZERO),
                false);
        List<Result> results = new ArrayList<>();
        double[] rates = {1000, 500, 1200, 400, 1100, 600};
        for (Run run : plan.runs()) results.add(result(run, rates[results.size()]));
        String table = ResultTable.of(plan, results, null);
        assertThat(table.lines()
                        .skip(1)
                        .map(line -> line.strip().replaceAll(" +", " "))
                        .limit(4)
                        .toList())
                .containsExactly(
                        "server runs PASS FAIL not judged msg/s min-max ratio deliveries/s min-max fan-out mean "
                                + "p50 min-max p99 min-max queue CPU lost "
                                + "doubled order other",
                        "confab 3 3 0 0 1,100 1,000-1,200 1.00 55,000 50,000-60,000 "
                                + "50.0 3.5 2.5 2.5-2.5 9.0 9.0-9.0 40 1.25 0 0 0 0",
                        "other 3 0 3 0 500 400-600 0.45 25,000 20,000-30,000 "
                                + "50.0 3.5 2.5 2.5-2.5 9.0 9.0-9.0 40 1.25 21 0 0 0",
                        "medians, with the lowest and the highest run; mean, p50 and p99 in ms: frame to delivery at others; "
                                + "fan-out: deliveries of a message; queue: messages that waited to be stored, in the worst second; "
                                + "CPU: of all processes but the load client, in µs per delivery");
        assertThat(table)
                .contains(
                        "confab: promises acks; every check was made",
                        "other: promises acks; not checked: accepted is stored")
                .contains("FAIL  out/2-server=other: broken: every member received every TEXT");
    }

    private static Result result(Run run, double rate) {
        boolean other = run.cell().name().endsWith("other");
        Figures figures = new Figures(
                Map.of("sends", rate, "deliveries", 50 * rate),
                50.0,
                Map.of("frame to delivery at others", new Latency(3.5, 2.5, 9)),
                40.0,
                1.25,
                other ? Map.of("every member received every TEXT", 7L) : Map.of(),
                other ? List.of("accepted is stored") : List.of(),
                Arrays.asList("acks"));
        return new Result(
                run,
                run.folder(Path.of("out")),
                other ? Outcome.FAIL : Outcome.PASS,
                other ? 1 : 0,
                other ? "broken: every member received every TEXT" : "",
                1,
                figures);
    }
}
