package chat.load.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class RunPageTest {
    private static final Pattern DATA =
            Pattern.compile("<script id=\"data\" type=\"application/json\">(.*?)</script>", Pattern.DOTALL);
    private static final Pattern SCRIPT = Pattern.compile("<script>(.*?)</script>", Pattern.DOTALL);
    private static final String BREAK_OUT = "</script><script>alert(1)</script><!--<script>";

    @Test
    void pageLoadsNoResources() {
        String page = RunPage.html(new SyntheticRun(30, 1000, 1).record());
        String withoutData = DATA.matcher(page).replaceFirst("");
        assertThat(withoutData)
                .doesNotContain("<link", " src=", " href=", "url(", "@import", "fetch(", "XMLHttpRequest", "WebSocket(")
                .contains("default-src 'none'", "The MIT License", "Leon Sorokin");
    }

    @Test
    void onlyTheScriptsOfThePageMayRun() throws NoSuchAlgorithmException {
        String page = RunPage.html(new SyntheticRun(30, 1000, 1).record());
        Matcher script = SCRIPT.matcher(page);
        List<String> hashes = new ArrayList<>();
        while (script.find())
            hashes.add(Base64.getEncoder()
                    .encodeToString(MessageDigest.getInstance("SHA-256")
                            .digest(script.group(1).getBytes(StandardCharsets.UTF_8))));
        assertThat(hashes).hasSize(2).allSatisfy(hash -> assertThat(page).contains("'sha256-" + hash + "'"));
        assertThat(page).doesNotContain("unsafe-inline", "unsafe-eval");
    }

    @Test
    void textsOfARunStayTexts() throws IOException {
        Samples samples = new Samples();
        samples.put(0, BREAK_OUT + ".cpu", 1);
        RunRecord plain = Records.with(samples);
        RunRecord hostile = new RunRecord(
                BREAK_OUT,
                new RunPlan(
                        BREAK_OUT,
                        BREAK_OUT,
                        List.of(new RunPlan.Setting(BREAK_OUT, BREAK_OUT)),
                        plain.plan().tree()),
                List.of(BREAK_OUT),
                plain.environment(),
                plain.verdict(),
                plain.seconds(),
                plain.counts(),
                plain.latencies(),
                samples,
                List.of(),
                plain.throughput(),
                List.of(new RunRecord.RoomThroughput(BREAK_OUT, 1, 1, 1, 1)),
                plain.messages(),
                List.of(new Finding(BREAK_OUT, BREAK_OUT, Finding.Level.INFO)),
                null,
                new RunRecord.PlatformMetrics.None(BREAK_OUT));
        String page = RunPage.html(hostile);
        assertThat(Pattern.compile("</script").splitAsStream(page)).hasSize(4);
        assertThat(page).doesNotContain("<!--").contains("<title>&lt;/script");
        assertThat(data(page).path("rooms").get(0).path("room").asString()).isEqualTo(BREAK_OUT);
        assertThat(data(page).path("columns").has(BREAK_OUT + ".cpu")).isTrue();
    }

    @Test
    void dollarSignsAndSlotsInTextsAreJustThat() {
        RunRecord plain = Records.with(new Samples());
        RunRecord run = new RunRecord(
                "{{script}} $1 \\1",
                plain.plan(),
                plain.urls(),
                plain.environment(),
                plain.verdict(),
                plain.seconds(),
                plain.counts(),
                plain.latencies(),
                plain.samples(),
                plain.phases(),
                plain.throughput(),
                plain.rooms(),
                plain.messages(),
                plain.findings(),
                plain.warmUp(),
                plain.platform());
        assertThat(data(RunPage.html(run)).path("summary").path("run").asString())
                .isEqualTo("{{script}} $1 \\1");
    }

    @Test
    void carriesWhatTheChartsShow() {
        JsonNode data = data(RunPage.html(new SyntheticRun(30, 1000, 1).record()));
        assertThat(data.path("seconds").asInt()).isEqualTo(64);
        assertThat(data.path("columns").path("client.accepted")).hasSize(64);
        assertThat(data.path("columns").path("client.ack.p99").get(0).isNull()).isTrue();
        assertThat(data.path("phases").get(2)).hasToString("{\"name\":\"chat\",\"from\":22,\"to\":52}");
        assertThat(data.path("ramp")).hasSize(7);
        assertThat(data.path("ramp").get(6).path("to").asInt()).isEqualTo(64);
        assertThat(data.path("firstSend").asInt()).isEqualTo(22);
        assertThat(data.path("buckets")).hasSize(3);
        assertThat(data.path("buckets").get(2).path("accepted").asInt()).isEqualTo(1000);
        assertThat(data.path("distribution").path("oneIn").get(20).asDouble()).isEqualTo(10);
        assertThat(data.path("distribution")
                        .path("millis")
                        .path("frame to ACK")
                        .get(20)
                        .asDouble())
                .isCloseTo(
                        data.path("summary")
                                .path("latencyMillis")
                                .path("frame to ACK")
                                .path("p90")
                                .asDouble(),
                        org.assertj.core.data.Percentage.withPercentage(1));
        assertThat(data.path("checks").asString()).isEqualTo("17 of 17 checks passed");
        assertThat(data.path("platform").path("body").path("core").isObject()).isTrue();
    }

    @Test
    void halfAnHourOfFiftySeriesStaysBelowOneAndAHalfMegabytes() {
        assertThat(RunPage.html(new SyntheticRun(1800, 6000, 3).record())).hasSizeLessThan(1_500_000);
    }

    @Test
    void aRunOfOneSecondAndOneOfNoneHavePagesToo() {
        assertThat(data(RunPage.html(new SyntheticRun(1, 100, 3).record()))
                        .path("seconds")
                        .asInt())
                .isEqualTo(35);
        JsonNode empty = data(RunPage.html(Records.with(new Samples())));
        assertThat(empty.path("seconds").asInt()).isZero();
        assertThat(empty.path("catalogue").path("groups")).isEmpty();
        assertThat(empty.path("distribution").path("oneIn")).isEmpty();
    }

    private static JsonNode data(String page) {
        Matcher data = DATA.matcher(page);
        assertThat(data.find()).isTrue();
        return JsonMapper.shared().readTree(data.group(1));
    }
}
