package chat.load.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class RunComparisonTest {
    private static final Pattern DATA =
            Pattern.compile("<script id=\"data\" type=\"application/json\">(.*?)</script>", Pattern.DOTALL);

    @TempDir
    private Path folder;

    @Test
    void twoRunsAreSetAgainstEachOther() throws Exception {
        run("a", new SyntheticRun(20, 1000, 1));
        run("b", new SyntheticRun(30, 1500, 2).dialect("nats").failed());
        Path file = RunComparison.write(List.of(folder.resolve("b"), folder.resolve("a")), folder.resolve("out"));
        assertThat(file).isEqualTo(folder.resolve("out/comparison.html"));
        JsonNode data = data(file);
        assertThat(data.path("runs").valueStream().map(run -> run.path("name").asString()))
                .containsExactly("b", "a");
        assertThat(data.path("runs").get(0).path("passed").asBoolean()).isFalse();
        assertThat(values(data, "accepted")).containsExactly(1500, 1000);
        assertThat(values(data, "breaches")).containsExactly(3, 0);
        assertThat(values(data, "rabbitmq, cores, deviation")).hasSize(2);
        assertThat(data.path("plan").valueStream().map(JsonNode::toString))
                .containsExactly("{\"label\":\"dialect\",\"values\":[\"nats\",\"confab\"]}");
        assertThat(data.path("environment")).isEmpty();
        assertThat(data.path("sweep").isNull()).isTrue();
    }

    @Test
    void chartsBeginWithTheChat() throws Exception {
        Samples early = new Samples();
        Samples late = new Samples();
        early.put(1, "client.accepted", 10);
        late.put(3, "client.accepted", 30);
        late.put(4, "client.accepted", 40);
        RunFolder.write(folder.resolve("early"), Records.with(early, new RunRecord.Phase("chat", 1)));
        RunFolder.write(folder.resolve("late"), Records.with(late, new RunRecord.Phase("chat", 3)));
        JsonNode overlays = data(RunComparison.write(List.of(folder), folder)).path("overlays");
        assertThat(overlays.path("from").asInt()).isEqualTo(-3);
        assertThat(overlays.path("charts").get(0).path("columns"))
                .hasToString("[[null,null,null,10,null],[null,null,null,30,40]]");
    }

    @Test
    void aSweepBecomesMediansAndRangesInTheOrderOfItsValues() throws Exception {
        int number = 0;
        for (int size : new int[] {1000, 100, 5000})
            for (double rate : new double[] {size, size + 300, size + 10})
                run("sweep/run-" + number++, new SyntheticRun(5, rate, number).batchSize(size));
        JsonNode data = data(RunComparison.write(List.of(folder.resolve("sweep")), folder));
        JsonNode sweep = data.path("sweep");
        assertThat(sweep.path("setting").asString()).isEqualTo("setting.chat.consumer.batch-size");
        assertThat(sweep.path("values").valueStream().map(JsonNode::asString)).containsExactly("100", "1000", "5000");
        assertThat(sweep.path("series").valueStream().map(JsonNode::asString)).containsExactly("");
        assertThat(sweep.path("runs")).hasToString("[[3,3,3]]");
        JsonNode accepted = sweep.path("outcomes").get(0).path("series").get(0);
        assertThat(accepted.path("median")).hasToString("[110,1010,5010]");
        assertThat(accepted.path("low")).hasToString("[100,1000,5000]");
        assertThat(accepted.path("high")).hasToString("[400,1300,5300]");
        assertThat(data.path("runs").get(8).path("name").asString()).isEqualTo("run-8");
    }

    @Test
    void aSecondSettingIsASeriesOfItsOwn() throws Exception {
        int number = 0;
        for (int size : new int[] {100, 500, 1000})
            for (String dialect : List.of("confab", "nats"))
                run(
                        "run-" + number++,
                        new SyntheticRun(2, size, number).batchSize(size).dialect(dialect));
        JsonNode sweep = data(RunComparison.write(List.of(folder), folder)).path("sweep");
        assertThat(sweep.path("setting").asString()).isEqualTo("setting.chat.consumer.batch-size");
        assertThat(sweep.path("series").valueStream().map(JsonNode::asString))
                .containsExactly("dialect confab", "dialect nats");
        assertThat(sweep.path("runs")).hasToString("[[1,1,1],[1,1,1]]");
    }

    @Test
    void aSweepTellsWhatItVariedAndWarmUpsDoNotCount() throws Exception {
        for (String value : List.of("1", "10", "2")) {
            run("sweep/run-" + value, new SyntheticRun(2, 10, 1).batchSize(Integer.parseInt(value)));
            run("sweep/run-" + value + "/warm-up-1", new SyntheticRun(2, 10, 1));
        }
        Files.writeString(folder.resolve("sweep/sweep.json"), """
                {"runs": [
                  {"folder": "run-1", "values": {"CHAT_RABBITMQ_PARTITIONS": "1"}},
                  {"folder": "run-2", "values": {"CHAT_RABBITMQ_PARTITIONS": "2"}},
                  {"folder": "run-10", "values": {"CHAT_RABBITMQ_PARTITIONS": "10"}},
                  {"folder": "run-gone", "values": {"CHAT_RABBITMQ_PARTITIONS": "20"}}
                ]}""");
        JsonNode data = data(RunComparison.write(List.of(folder.resolve("sweep")), folder));
        assertThat(data.path("runs")).hasSize(3);
        assertThat(data.path("plan")).isEmpty();
        assertThat(data.path("varied").get(0).path("values")).hasToString("[\"1\",\"2\",\"10\"]");
        assertThat(data.path("sweep").path("setting").asString()).isEqualTo("CHAT_RABBITMQ_PARTITIONS");
        assertThat(data.path("sweep").path("quantities").asBoolean()).isTrue();
    }

    @Test
    void otherRunsThanChatsAreComparedByWhatTheySay() throws Exception {
        for (int i = 1; i <= 3; i++) {
            Path run = Files.createDirectories(folder.resolve("q" + i));
            Files.writeString(run.resolve("summary.json"), String.format(Locale.ROOT, """
                    {"passed": true, "rates": {"answers": %d00}, "verdict": {"checks": []}, "plan": {"concurrency": %d},
                     "latencyMillis": {"Q1": {"count": 9, "p99": 5}, "Q2": {"count": 9, "p99": 7}}}""", i, i));
        }
        JsonNode data = data(RunComparison.write(List.of(folder), folder));
        assertThat(values(data, "answers")).containsExactly(100, 200, 300);
        assertThat(data.path("sweep")
                        .path("outcomes")
                        .valueStream()
                        .map(outcome -> outcome.path("title").asString()))
                .containsExactly("answers", "Q1, p99", "Q2, p99");
    }

    @Test
    void aSummaryAloneIsEnough() throws Exception {
        for (String name : List.of("a", "b")) {
            Path run = Files.createDirectories(folder.resolve(name));
            Files.writeString(
                    run.resolve("summary.json"),
                    "{\"passed\":true,\"rates\":{\"accepted\":5},\"verdict\":{},\"plan\":{\"rooms\":\"" + name
                            + "\"}}");
        }
        JsonNode data = data(RunComparison.write(List.of(folder), folder));
        assertThat(values(data, "accepted")).containsExactly(5, 5);
        assertThat(data.path("plan").get(0).path("label").asString()).isEqualTo("rooms");
        assertThat(data.path("overlays").path("charts")).isEmpty();
    }

    @Test
    void foldersWithoutRunsAreRefusedByName() throws Exception {
        Path empty = Files.createDirectories(folder.resolve("empty"));
        assertRefused("is not a folder", folder.resolve("nowhere"));
        assertRefused("holds no run", empty);
        run("one", new SyntheticRun(2, 10, 1));
        assertRefused("only one run", folder.resolve("one"));
        Path broken = Files.createDirectories(folder.resolve("broken"));
        Files.writeString(broken.resolve("summary.json"), "{\"passed\":");
        assertRefused("broken/summary.json cannot be read", folder.resolve("one"), broken);
        Files.writeString(broken.resolve("summary.json"), "[]");
        assertRefused("broken/summary.json is not the summary of a run", folder.resolve("one"), broken);
        run("broken", new SyntheticRun(2, 10, 1));
        Files.writeString(broken.resolve("samples.csv"), "second,client.accepted\n0,many\n");
        assertRefused("broken/samples.csv cannot be read", folder.resolve("one"), broken);
    }

    private void assertRefused(String reason, Path... folders) {
        assertThatThrownBy(() -> RunComparison.write(List.of(folders), folder))
                .isInstanceOf(UnreadableRun.class)
                .hasMessageContaining(reason);
    }

    private void run(String name, SyntheticRun run) throws IOException {
        RunFolder.write(folder.resolve(name), run.record());
    }

    private static double[] values(JsonNode data, String label) {
        JsonNode found = data.path("figures")
                .valueStream()
                .filter(figure -> figure.path("label").asString().equals(label))
                .findFirst()
                .orElseThrow();
        return found.path("values")
                .valueStream()
                .mapToDouble(JsonNode::asDouble)
                .toArray();
    }

    private static JsonNode data(Path file) throws IOException {
        Matcher data = DATA.matcher(Files.readString(file));
        assertThat(data.find()).isTrue();
        return JsonMapper.shared().readTree(data.group(1));
    }
}
