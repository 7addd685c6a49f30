package chat.load.report;

import static org.assertj.core.api.Assertions.assertThat;

import chat.testing.Needs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pages in a real browser: scripts run, charts are drawn. The pages stay below target for inspection. */
@Needs("chromium")
class ReportIT {
    private static final Path EXAMPLES = Path.of("target", "example-report");

    @TempDir
    private Path folder;

    @Test
    void aPassedRunIsDrawn() throws IOException, InterruptedException {
        String dom = open("passed", new SyntheticRun(60, 8200, 7).record());
        assertThat(canvases(dom)).isGreaterThan(20);
        assertThat(dom)
                .contains(">PASS<", "17 of 17 checks passed.", "Frame to delivery at others", "Little's law")
                .contains("Zero throughout", "20 rooms, ")
                .doesNotContain("could not be drawn");
    }

    @Test
    void aFailedRunShowsWhatFailedAsText() throws IOException, InterruptedException {
        String dom = open("failed", new SyntheticRun(60, 8200, 8).failed().record());
        assertThat(dom)
                .contains(">FAIL<", "member 17 lacks message 211 of member 3 (&lt;/script&gt;&lt;script&gt;alert(1)")
                .contains("not checked");
    }

    @Test
    void longAndShortAndEmptyRunsAreDrawn() throws IOException, InterruptedException {
        assertThat(canvases(open("long", new SyntheticRun(1800, 6000, 9).record())))
                .isGreaterThan(20);
        assertThat(canvases(open("short", new SyntheticRun(1, 500, 9).record())))
                .isGreaterThan(20);
        assertThat(open("empty", Records.with(new Samples()))).contains(">PASS<", "Not measured: Messages");
        Samples one = new Samples();
        one.put(0, "client.accepted", 1);
        assertThat(canvases(open("one-value", Records.with(one)))).isEqualTo(1);
    }

    @Test
    void aSweepAndAPairAreDrawn() throws Exception {
        Path sweep = EXAMPLES.resolve("sweep");
        for (int flush : new int[] {100, 500})
            for (int size : new int[] {100, 500, 1000, 5000})
                for (int repeat = 1; repeat <= 3; repeat++)
                    RunFolder.write(
                            sweep.resolve("batch-" + size + "-flush-" + flush + "/" + repeat),
                            new SyntheticRun(20, 2500 * Math.log10(size) + flush + 200 * repeat, size + repeat)
                                    .batchSize(size)
                                    .dialect(flush == 100 ? "confab" : "nats")
                                    .record());
        String dom = Browser.open(RunComparison.write(List.of(sweep), sweep).toAbsolutePath(), folder);
        assertThat(canvases(dom)).isEqualTo(15);
        assertThat(dom)
                .contains(">24/24<", "By setting.chat.consumer.batch-size", "dialect nats", "batch-5000-flush-500/3");

        Path pair = EXAMPLES.resolve("pair");
        RunFolder.write(pair.resolve("confab"), new SyntheticRun(60, 8200, 7).record());
        RunFolder.write(
                pair.resolve("nats"),
                new SyntheticRun(40, 12_300, 8).dialect("nats").failed().record());
        dom = Browser.open(RunComparison.write(List.of(pair), pair).toAbsolutePath(), folder);
        assertThat(dom)
                .contains(">1/2<", "× 1.50", "Over time", "only what differs")
                .doesNotContain("By setting");
    }

    private String open(String name, RunRecord run) throws IOException, InterruptedException {
        return Browser.open(RunFolder.write(EXAMPLES.resolve(name), run).toAbsolutePath(), folder);
    }

    private static long canvases(String dom) {
        return Pattern.compile("<canvas").matcher(dom).results().count();
    }
}
