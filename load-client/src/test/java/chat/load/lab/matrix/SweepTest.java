package chat.load.lab.matrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import chat.load.lab.child.CommandWords;
import chat.load.lab.matrix.Axis.Kind;
import chat.load.lab.matrix.Comparison.Server;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Both ways to a matrix: sweeps and comparisons. */
class SweepTest {
    private static final Load LOAD =
            new Load(List.of("fanout", "--url", "ws://127.0.0.1:8081", "--url=wss://chat.example/x", "--users", "9"));
    private static final Platform RUN = new Platform(List.of("./run", "--servers", "2"), Map.of());

    @Test
    void settingsGoToThePlatformAndOptionsToTheClient() {
        List<Cell> cells = Sweep.cells(
                List.of(Axis.parse(Kind.ENVIRONMENT, "CHAT_X=4,8"), Axis.parse(Kind.OPTION, "window=1,16")),
                false,
                RUN,
                List.of(URI.create("http://127.0.0.1:9")),
                LOAD);
        assertThat(cells)
                .extracting(Cell::name)
                .containsExactly("CHAT_X=4,window=1", "CHAT_X=4,window=16", "CHAT_X=8,window=1", "CHAT_X=8,window=16");
        Cell last = cells.getLast();
        assertThat(last.arguments()).startsWith("fanout").endsWith("--users", "9", "--window", "16");
        assertThat(last.platform())
                .isEqualTo(new Platform(List.of("./run", "--servers", "2", "--dir", "{dir}"), Map.of("CHAT_X", "8")));
        assertThat(last.ready())
                .extracting(URI::toString)
                .containsExactly(
                        "http://127.0.0.1:8081/health",
                        "https://chat.example:443/health",
                        "http://127.0.0.1:8090/health",
                        "http://127.0.0.1:9");
    }

    @ParameterizedTest
    @CsvSource({
        "./run --servers 2, '', http://127.0.0.1:8090/health",
        "./run --servers=2 --port 9001, '', http://127.0.0.1:9010/health",
        "./run --port=9001 --servers 2, --history-url none, http://127.0.0.1:9010/health",
        "./run --servers 2 --port 9001, --history-url http://127.0.0.1:7000, http://127.0.0.1:7000/health",
        "./start-mine, --history-url=http://127.0.0.1:7000/, http://127.0.0.1:7000/health"
    })
    void consumerOfThePlatformThatWasStartedIsAwaited(String platform, String option, URI health) {
        assertThat(ready(platform, option)).containsExactly(URI.create("http://127.0.0.1:9001/health"), health);
    }

    @Test
    void platformInOneProcessIsReadyWhenItsServerIs() {
        assertThat(ready("./run --port 9001", "")).containsExactly(URI.create("http://127.0.0.1:9001/health"));
    }

    private static List<URI> ready(String platform, String option) {
        Load load = new Load(CommandWords.split("fanout --url ws://127.0.0.1:9001 " + option));
        return Sweep.cells(
                        List.of(Axis.parse(Kind.OPTION, "window=1")),
                        false,
                        new Platform(CommandWords.split(platform), Map.of()),
                        List.of(),
                        load)
                .getFirst()
                .ready();
    }

    @Test
    void anotherPlatformsCommandIsLeftAlone() {
        Platform given = new Platform(List.of("./run", "--dir", "mine"), Map.of());
        assertThat(given.withFreshDirectory()).isEqualTo(given);
        assertThat(given.keepsItsData()).isTrue();
        Platform other = new Platform(List.of("nats-server", "--store", "{dir}/x"), Map.of());
        assertThat(other.withFreshDirectory()).isEqualTo(other);
        assertThat(other.keepsItsData()).isFalse();
    }

    @Test
    void ofAnotherKindOfServerOnlyListeningIsAwaited() {
        Load load = new Load(List.of("fanout", "--driver", "nats", "--url", "ws://127.0.0.1:9222"));
        List<Axis> axes = List.of(Axis.parse(Kind.OPTION, "window=1"));
        assertThat(Sweep.cells(axes, false, null, List.of(), load).getFirst().ready())
                .containsExactly(URI.create("tcp://127.0.0.1:9222"));
    }

    @Test
    void aSettingOfThePlatformNeedsAPlatform() {
        List<Axis> axes = List.of(Axis.parse(Kind.ENVIRONMENT, "CHAT_X=4"));
        assertThatThrownBy(() -> Sweep.cells(axes, false, null, List.of(), LOAD))
                .hasMessageContaining("--platform");
    }

    @Test
    void variedOptionCannotBeFixed() {
        List<Axis> axes = List.of(Axis.parse(Kind.OPTION, "users=1,2"));
        assertThatThrownBy(() -> Sweep.cells(axes, false, null, List.of(), LOAD))
                .hasMessageContaining("--users");
        assertThatThrownBy(() -> Sweep.cells(List.of(), false, RUN, List.of(), LOAD))
                .hasMessageContaining("nothing is varied");
    }

    @Test
    void aLoadHasAScenarioAndNoFolder() {
        assertThatThrownBy(() -> new Load(List.of())).hasMessageContaining("scenario");
        assertThatThrownBy(() -> new Load(List.of("--rooms", "2"))).hasMessageContaining("scenario");
        assertThatThrownBy(() -> new Load(List.of("fanout", "--out=x"))).hasMessageContaining("--out");
    }

    @Test
    void eachServerGetsItsDriverAndItsUrls() {
        List<Cell> cells = Comparison.cells(
                List.of(
                        Server.parse("confab=ws://127.0.0.1:8081,ws://127.0.0.1:8082"),
                        Server.parse("old:nats=ws://h:1")),
                Map.of("old", new Platform(List.of("nats-server"), Map.of())),
                new Load(List.of("fanout", "--messages", "5")));
        assertThat(cells).extracting(Cell::name).containsExactly("server=confab", "server=old");
        assertThat(cells.getFirst().arguments())
                .containsExactly(
                        "fanout",
                        "--messages",
                        "5",
                        "--driver",
                        "confab",
                        "--url",
                        "ws://127.0.0.1:8081",
                        "--url",
                        "ws://127.0.0.1:8082");
        assertThat(cells.getFirst().platform()).isNull();
        assertThat(cells.getLast().arguments()).endsWith("--driver", "nats", "--url", "ws://h:1");
        assertThat(cells.getLast().ready()).containsExactly(URI.create("tcp://h:1"));
    }

    @Test
    void aStartNeedsItsServer() {
        assertThatThrownBy(() -> Comparison.cells(
                        List.of(Server.parse("a=ws://h:1")),
                        Map.of("b", new Platform(List.of("x"), Map.of())),
                        new Load(List.of("fanout"))))
                .hasMessageContaining("--start names b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"confab", "=ws://h:1", "confab=", "confab=host", "confab=ws://h:1,"})
    void aServerNeedsNameAndUrl(String text) {
        assertThatThrownBy(() -> Server.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }
}
