package chat.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import chat.load.plan.Arrivals.Stages.Stage;
import chat.load.plan.Numbering;
import chat.load.plan.Placement;
import chat.load.plan.WarmUp;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

/** How what is typed is read. */
class OptionTypesTest {
    @Command
    private static final class Typed {
        @Mixin
        private final ChatOptions options = new ChatOptions();
    }

    @ParameterizedTest
    @CsvSource({
        "500ms, 500",
        "30s, 30000",
        "30, 30000",
        "0.25, 250",
        "1.5m, 90000",
        "5m, 300000",
        "2h, 7200000",
        "1H, 3600000",
        "0.001ms, 0",
        "0, 0"
    })
    void aTimeHasAUnitOrIsSeconds(String text, long millis) {
        assertThat(OptionTypes.duration(text).toMillis()).isEqualTo(millis);
        assertThat(typed("--stay", text).stay.toMillis()).isEqualTo(millis);
    }

    @Test
    void aTimeIsExactToTheNanosecond() {
        assertThat(OptionTypes.duration("0.001ms")).isEqualTo(Duration.ofNanos(1000));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "s", "-1s", "1d", "1 s", "1,5s", "1e3", "NaN", "1s5", "five", ".5s", "1.s", "+1"})
    void invalidTimeIsRejected(String text) {
        refused("--stay", text, "a time is given as 500ms, 30s, 5m or 1h, not '" + text + "'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"4000h", "99999999999999999999999", "10000001"})
    void aTimeOfMonthsIsRefused(String text) {
        refused("--stay", text, "is too long");
    }

    @Test
    void stagesAreAListOfTimesAndTargets() {
        assertThat(typed("--stages", "30s:1000,1m:1000,500ms:0").stages)
                .containsExactly(
                        new Stage(Duration.ofSeconds(30), 1000),
                        new Stage(Duration.ofMinutes(1), 1000),
                        new Stage(Duration.ofMillis(500), 0));
        assertThat(typed("--stages", "30:5", "--stages", "10:0").stages).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"30s", "30s:", "30s:-5", "30s:1.5", "30s:5:6", "30s:12345678", "30s;5"})
    void invalidStageIsRejected(String text) {
        refused("--stages", text, "a stage is given as TIME:N, such as 30s:1000");
    }

    @Test
    void aStageWithoutATimeIsRefused() {
        refused("--stages", "0s:5", "a stage must last longer than 0");
        refused("--stages", "soon:5", "a time is given as");
        refused("--stages", ":5", "a time is given as");
    }

    @Test
    void aWarmUpIsNothingOrMessagesOrConnectionsWithMessages() {
        Numbering run = new Numbering(20, 50, 500);
        assertThat(WarmUp.parse("none").sizes(run)).isEmpty();
        assertThat(WarmUp.parse("0").sizes(run)).isEmpty();
        assertThat(WarmUp.parse("32x0").sizes(run)).isEmpty();
        assertThat(WarmUp.parse("100").sizes(run)).containsExactly(new Numbering(20, 50, 100));
        assertThat(WarmUp.parse("32x1000").sizes(run)).containsExactly(new Numbering(8, 4, 1000));
        assertThat(WarmUp.parse("4x3").sizes(run)).containsExactly(new Numbering(1, 4, 3));
        // Rooms of four where they come out even, else everybody alone.
        assertThat(WarmUp.parse("6x3").sizes(run)).containsExactly(new Numbering(6, 1, 3));
        assertThat(WarmUp.parse("1x3").sizes(run)).containsExactly(new Numbering(1, 1, 3));
    }

    @Test
    void aWarmUpMayHaveSeveralRounds() {
        Numbering run = new Numbering(20, 50, 500);
        assertThat(WarmUp.parse("32x1000+100+7").sizes(run))
                .containsExactly(new Numbering(8, 4, 1000), new Numbering(20, 50, 100), new Numbering(20, 50, 7));
        refused("--warm-up", "1+1+1+1+1+1+1+1+1+1+1", "at most 10 rounds");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "x5",
                "5x",
                "5x5x5",
                "-5",
                "0x5",
                "5X5",
                "1000000x1",
                "1x1000000000",
                "some",
                "5+",
                "+5",
                "5+none"
            })
    void invalidWarmUpIsRejected(String text) {
        refused(
                "--warm-up",
                text,
                "a warm-up is given as N messages, CxN such as 32x1000, several of these such as 1000+200, or none");
    }

    @Test
    void aLimitIsANumberOrWhatTheServerSays() {
        assertThat(typed("--limit", "announced").limit).isEqualTo(new OptionTypes.Limit(0));
        assertThat(typed("--limit", "12.5").limit).isEqualTo(new OptionTypes.Limit(12.5));
        assertThat(typed().limit).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "NaN", "Infinity", "1e9", "many", ""})
    void invalidLimitIsRejected(String text) {
        refused("--limit", text, "a limit is messages per second above 0, or 'announced'");
    }

    @Test
    void historyIsAnAddressOrNone() {
        assertThat(typed("--history-url", "none").historyUrl).isSameAs(OptionTypes.NO_HISTORY);
        assertThat(typed("--history-url", "http://host:8090").historyUrl).isEqualTo(URI.create("http://host:8090"));
        assertThat(typed("--history-url", "HTTPS://host/base").historyUrl).isEqualTo(URI.create("HTTPS://host/base"));
        assertThat(typed().historyUrl).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ftp://host", "host:8090", "http://", "http:///x", "None", "http://ho st", ""})
    void invalidHistoryUrlIsRejected(String text) {
        refused("--history-url", text, "history is given as http://host:port or none");
    }

    @Test
    void aServerIsAWebSocketAddress() {
        assertThat(typed().urls).extracting(Object::toString).containsExactly("ws://127.0.0.1:1");
        refused("--url", "http://127.0.0.1:1", "ws://host:port or wss://host:port");
        refused("--url", "ws://127.0.0.1:1?x", "neither query nor fragment");
    }

    @Test
    void aPlacementMayBeWrittenInAnyCase() {
        assertThat(typed("--placement", "room").placement).isEqualTo(Placement.ROOM);
        assertThat(typed("--placement", "Spread").placement).isEqualTo(Placement.SPREAD);
        assertThat(typed("--placement", "partition").placement).isEqualTo(Placement.PARTITION);
        refused("--placement", "beside", "beside");
    }

    private static void refused(String option, String value, String reason) {
        assertThatThrownBy(() -> typed(option + "=" + value))
                .isInstanceOf(ParameterException.class)
                .hasMessageContaining(option)
                .hasMessageContaining(reason);
    }

    private static ChatOptions typed(String... arguments) {
        Typed typed = new Typed();
        CommandLine line = new CommandLine(typed);
        OptionTypes.register(line);
        String[] all = new String[arguments.length + 2];
        all[0] = "--url";
        all[1] = "ws://127.0.0.1:1";
        System.arraycopy(arguments, 0, all, 2, arguments.length);
        line.parseArgs(all);
        return typed.options;
    }
}
