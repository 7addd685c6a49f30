package chat.launcher.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Series have one cell for each second; the fault is always after the fifth. */
class LoadSecondsTest {
    private static final Instant START = Instant.parse("2026-11-25T10:00:00Z");
    private static final Instant FAULT = START.plusSeconds(5);

    @TempDir
    Path folder;

    /**
     * @param p99 values from the start, separated by spaces; {@code -} without deliveries; one more second ends the
     *     load
     */
    private Duration latency(String p99) throws IOException {
        return load(p99 + " 10", "60 ".repeat(p99.split(" ", -1).length + 1).strip(), "")
                .untilLatencyIsAsBefore(FAULT);
    }

    private Duration members(String connected) throws IOException {
        return load("1 ".repeat(connected.split(" ", -1).length + 1).strip(), connected + " 20", "")
                .untilAllAreConnected(FAULT);
    }

    private LoadSeconds load(String p99, String connected, String retries) throws IOException {
        Files.writeString(folder.resolve("summary.json"), "{\"startedAt\" : \"" + START + "\"}");
        List<String> lines =
                new ArrayList<>(List.of("second,client.retries,client.connected,client.refused,client.others.p99"));
        String[] values = p99.split(" ", -1);
        String[] members = connected.split(" ", -1);
        String[] tries = retries.split(" ", -1);
        for (int second = 0; second < values.length; second++)
            lines.add(String.format(
                    Locale.ROOT,
                    "%d,%s,%s,%d,%s",
                    second,
                    second < tries.length ? tries[second] : "",
                    members[second],
                    second == 0 ? 1 : 0,
                    values[second].equals("-") ? "" : values[second]));
        Files.write(folder.resolve("samples.csv"), lines);
        return LoadSeconds.read(folder);
    }

    @Test
    void unnoticedFaultTakesNoTime() throws IOException {
        assertThat(latency("10 11 9 10 10 20 12 20 10 9 10 11 10")).isZero();
        assertThat(members("60 60 60 60 60 60 60 60 60 60 60")).isZero();
    }

    @Test
    void immediateDisturbanceLastsUntilRecovery() throws IOException {
        assertThat(latency("10 10 10 10 10 21 90 40 20 20 20 20 20")).isEqualTo(Duration.ofSeconds(3));
        assertThat(members("60 60 60 60 60 30 30 59 60 60 60 60 60")).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void laterDisturbanceIsMeasuredFromItsStart() throws IOException {
        assertThat(latency("10 10 10 10 10 10 10 10 10 10 10 10 80 80 10 80 10 10 10 10 10"))
                .isEqualTo(Duration.ofSeconds(4));
        assertThat(members("60 60 60 60 60 60 60 60 60 60 60 60 0 0 60 60 60 60 60"))
                .isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void singleAbnormalSecondDoesNotHideALaterDisturbance() throws IOException {
        assertThat(latency("10 10 10 10 10 30 10 10 10 10 10 80 80 80 80 10 10 10 10 10"))
                .isEqualTo(Duration.ofSeconds(4));
    }

    @Test
    void fourNormalSecondsAreNotRecovery() throws IOException {
        assertThat(latency("10 10 10 10 10 80 10 10 10 10 80 10 10 10 10 10")).isEqualTo(Duration.ofSeconds(6));
    }

    @Test
    void missingRecoveryLastsUntilTheEndOfTheLoad() throws IOException {
        assertThat(latency("10 10 10 10 10 10 10 80 80 80 80 80 80")).isEqualTo(Duration.ofSeconds(6));
        assertThat(latency("10 10 10 10 10 10 10 80 80 10 10 10 10")).isEqualTo(Duration.ofSeconds(6));
    }

    @Test
    void secondWithoutDeliveriesIsAbnormal() throws IOException {
        assertThat(latency("10 10 10 10 10 10 - - - 10 10 10 10 10")).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void endOfTheLoadIsNotADisturbance() throws IOException {
        assertThat(load("10 10 10 10 10 10 10 10 90 - -", "60 60 60 60 60 60 60 60 20 0 0", "")
                        .untilLatencyIsAsBefore(FAULT))
                .isZero();
        assertThat(load("10 10 10 10 10 10 10 10 90 - -", "60 60 60 60 60 60 60 60 20 0 0", "")
                        .untilAllAreConnected(FAULT))
                .isZero();
    }

    @Test
    void missingDeliveriesAreNotTakenAsTheEndOfTheLoad() throws IOException {
        assertThat(load("10 10 10 10 10 - - - - - -", "60 60 60 60 60 0 0 0 0 0 0", "")
                        .untilLatencyIsAsBefore(FAULT))
                .isEqualTo(Duration.ofSeconds(6));
    }

    @Test
    void missingBaselineFails() {
        assertThatThrownBy(() -> latency("- - - - - 10 10")).isInstanceOf(ChaosFailure.class);
    }

    @Test
    void rejectionsAndRetriesAreSummed() throws IOException {
        assertThat(load("10 10 10", "60 60 60", "0 3 4").refusals()).isEqualTo(8);
        assertThat(load("10 10 10", "60 60 60", "").refusals()).isEqualTo(1);
    }
}
