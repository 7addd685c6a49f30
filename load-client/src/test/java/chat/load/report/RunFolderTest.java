package chat.load.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class RunFolderTest {
    @TempDir
    private Path folder;

    @Test
    void holdsEveryFile() throws IOException {
        RunFolder.write(folder, new SyntheticRun(30, 1000, 1).record());
        try (Stream<Path> files = Files.walk(folder)) {
            assertThat(files.filter(Files::isRegularFile)
                            .map(file -> folder.relativize(file).toString().replace('\\', '/')))
                    .containsExactlyInAnyOrder(
                            "plan.json",
                            "environment.json",
                            "summary.json",
                            "report.html",
                            "samples.csv",
                            "rooms.csv",
                            "ramp.csv",
                            "buckets.csv",
                            "metrics.json",
                            "histograms.json",
                            "histograms/frame-to-ack.hgrm",
                            "histograms/frame-to-own-delivery.hgrm",
                            "histograms/frame-to-delivery-at-others.hgrm",
                            "histograms/frame-to-row.hgrm",
                            "histograms/join-to-welcome.hgrm",
                            "histograms/connect-to-welcome.hgrm");
        }
    }

    @Test
    void theSummaryTellsWhatProgramsAskFor() throws IOException {
        RunFolder.write(folder, new SyntheticRun(30, 1000, 1).record());
        JsonNode summary = json("summary.json");
        assertThat(summary.path("passed").asBoolean()).isTrue();
        assertThat(summary.path("scenario").asString()).isEqualTo("baseline");
        assertThat(summary.path("plan").path("pacing").path("window").asInt()).isEqualTo(4);
        assertThat(summary.path("seconds").path("chat").asDouble()).isEqualTo(30);
        assertThat(summary.path("rates").path("accepted").asDouble()).isEqualTo(1000);
        assertThat(summary.path("rates").path("deliveries").asDouble()).isEqualTo(50_000);
        assertThat(summary.path("verdict").path("accepted").asLong()).isEqualTo(30_000);
        assertThat(summary.path("latencyMillis")
                        .path("frame to ACK")
                        .path("p999")
                        .asDouble())
                .isGreaterThan(summary.path("latencyMillis")
                        .path("frame to ACK")
                        .path("p99")
                        .asDouble());
        assertThat(summary.path("processes").path("rabbitmq").path("cpuMean").asDouble())
                .isBetween(0.3, 0.4);
        assertThat(summary.path("warmUp").path("sent").asInt()).isEqualTo(32_000);
        assertThat(json("plan.json")).isEqualTo(summary.path("plan"));
        assertThat(json("environment.json").path("cores").asInt()).isEqualTo(2);
        assertThat(json("histograms.json").path("frame to row").path("p90").asDouble())
                .isGreaterThan(310);
    }

    @Test
    void aProcessHasTheMeanAndTheDeviationOfTheChatsSecondsAndTheMostOfAll() throws IOException {
        Samples samples = new Samples();
        double[] cores = {1.5, 0.2, 0.4, Double.NaN, 0.6};
        for (int second = 0; second < cores.length; second++) {
            samples.put(second, "chat-8081.cpu", cores[second]);
            samples.put(second, "brief.cpu", second == 2 ? 1 : Double.NaN);
        }
        RunFolder.write(folder, Records.with(samples, new RunRecord.Phase("chat", 1)));
        JsonNode processes = json("summary.json").path("processes");
        assertThat(processes.path("chat-8081").path("cpuMean").asDouble()).isCloseTo(0.4, within(1e-6));
        assertThat(processes.path("chat-8081").path("cpuDeviation").asDouble()).isCloseTo(0.2, within(1e-6));
        assertThat(processes.path("chat-8081").path("cpuMax").asDouble()).isEqualTo(1.5);
        assertThat(processes.path("brief").path("cpuDeviation").isNull()).isTrue();
    }

    @Test
    void theMostThatWaitedIsToldOfTheWholeRun() throws IOException {
        Samples samples = new Samples();
        double[] depths = {7, 912, Double.NaN, 30};
        for (int second = 0; second < depths.length; second++) {
            samples.put(second, "consumer.depth", depths[second]);
            samples.put(second, "chat-8081.entriesUnconfirmed", second);
            samples.put(second, "chat-8081.cpu", 1);
            samples.put(second, "consumer.lag", Double.NaN);
        }
        RunFolder.write(folder, Records.with(samples, new RunRecord.Phase("chat", 3)));
        JsonNode peaks = json("summary.json").path("peaks");
        assertThat(peaks.propertyNames()).containsExactlyInAnyOrder("consumer.depth", "chat-8081.entriesUnconfirmed");
        assertThat(peaks.path("consumer.depth").asDouble()).isEqualTo(912);
        assertThat(peaks.path("chat-8081.entriesUnconfirmed").asDouble()).isEqualTo(3);
    }

    @Test
    void littlesLawSetsWhatWasMeasuredAgainstRateTimesLatency() throws IOException {
        RunFolder.write(folder, new SyntheticRun(30, 1000, 1).record());
        JsonNode law = json("summary.json").path("littlesLaw");
        assertThat(law.path("predicted").asDouble())
                .isCloseTo(
                        law.path("perSecond").asDouble()
                                * law.path("meanMillis").asDouble()
                                / 1000,
                        org.assertj.core.api.Assertions.within(1e-9));
        assertThat(law.path("ratio").asDouble()).isBetween(0.8, 1.2);
    }

    @Test
    void samplesAreARowPerSecondAndEmptyWhereNothingWasMeasured() throws IOException {
        Samples samples = new Samples();
        samples.put(0, "a.whole", 812_345_678_901.0);
        samples.put(2, "a.whole", 3);
        samples.put(1, "b,c.part", 0.1 + 0.2);
        samples.put(2, "b,c.part", Double.NaN);
        RunFolder.write(folder, Records.with(samples));
        assertThat(Files.readAllLines(folder.resolve("samples.csv")))
                .containsExactly("second,a.whole,\"b,c.part\"", "0,812345678901,", "1,,0.3", "2,3,");
    }

    @Test
    void connectionsAreSummedUpInStepsOfTenSecondsAndTheLastMayBeShorter() throws IOException {
        Samples samples = new Samples();
        for (int second = 0; second < 13; second++) {
            samples.put(second, "client.attempts", second < 12 ? 10 : 0);
            samples.put(second, "client.failedConnects", second == 2 ? 5 : 0);
            samples.put(second, "client.connected", 10 * (second + 1) - 5);
            samples.put(second, "generator.cpu", 0.5);
            samples.put(second, "chat-8081.cpu", 0.25);
            samples.put(second, "node-8082.cpu", second == 3 ? Double.NaN : 0.5);
            samples.put(second, "consumer.cpu", 0.3);
        }
        RunRecord run = Records.with(samples, new RunRecord.Phase("chat", 12), new RunRecord.Phase("connect", 0));
        RunFolder.write(folder, run);
        assertThat(Files.readAllLines(folder.resolve("ramp.csv")))
                .containsExactly(
                        "second,attempts,active,failed,success_percent,servers_cpu_cores,generator_cpu_cores,event",
                        "0,100,95,5,95,0.7,0.5,connect begins",
                        "10,20,125,0,100,0.75,0.5,chat begins");
    }

    @Test
    void bucketsBeginWithTheFirstSend() throws IOException {
        RunFolder.write(folder, new SyntheticRun(25, 1000, 1).record());
        assertThat(Files.readAllLines(folder.resolve("buckets.csv")))
                .containsExactly(
                        "second,seconds,sent_per_s,accepted_per_s,deliveries_per_s,stored_per_s",
                        "0,10,1000,1000,1000,",
                        "10,10,1000,1000,1000,",
                        "20,5,1000,1000,1000,");
    }

    @Test
    void metricsOfThePlatformAreKeptAsTheyAre() throws IOException {
        RunFolder.write(folder, new SyntheticRun(5, 1000, 1).record());
        assertThat(json("metrics.json")
                        .path("analytics")
                        .path("messagesPerSecond")
                        .asDouble())
                .isEqualTo(1000);
        // Without an answer, that of an earlier run would be misleading.
        RunFolder.write(folder, Records.with(new Samples()));
        assertThat(folder.resolve("metrics.json")).doesNotExist();
    }

    @Test
    void aRunThatMeasuredNothingStillHasItsFiles() throws IOException {
        RunFolder.write(folder, Records.with(new Samples()));
        assertThat(Files.readString(folder.resolve("samples.csv"))).isEqualTo("second\n");
        assertThat(json("histograms.json").isEmpty()).isTrue();
        assertThat(json("summary.json").path("littlesLaw").isNull()).isTrue();
        assertThat(json("summary.json").path("warmUp").isNull()).isTrue();
    }

    @Test
    void anotherRunInTheSameFolderLeavesNoHistogramOfTheEarlierOne() throws IOException {
        RunFolder.write(folder, new SyntheticRun(5, 1000, 1).record());
        RunFolder.write(folder, Records.with(new Samples()));
        assertThat(folder.resolve("histograms")).isEmptyDirectory();
    }

    @Test
    void numbersDoNotDependOnTheLanguageOfTheMachine() throws IOException {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.GERMANY);
            Samples samples = new Samples();
            samples.put(0, "a.b", 1.5);
            RunFolder.write(folder, Records.with(samples));
            assertThat(Files.readAllLines(folder.resolve("samples.csv"))).isEqualTo(List.of("second,a.b", "0,1.5"));
        } finally {
            Locale.setDefault(before);
        }
    }

    private JsonNode json(String file) throws IOException {
        return JsonMapper.shared().readTree(Files.readAllBytes(folder.resolve(file)));
    }
}
