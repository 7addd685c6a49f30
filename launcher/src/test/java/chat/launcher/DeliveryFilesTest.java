package chat.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.convert.DurationStyle;

/** Checks the files for systemd, Compose, Helm and Terraform against the programs' settings. */
class DeliveryFilesTest {
    private static final Path INFRA = TestPlaces.root().resolve("infra");
    private static final Pattern VARIABLE = Pattern.compile("\\bCHAT_[A-Z_]*[A-Z]\\b");
    private static final Pattern DECLARED = Pattern.compile("\\$\\{(CHAT_[A-Z_]+):");

    @ParameterizedTest
    @ValueSource(strings = {"systemd", "compose", "helm", "terraform", "images"})
    void everyVariableInTheFilesIsDeclaredByAProgram(String folder) {
        Set<String> known = Stream.of("chat-server", "persistence-consumer")
                .flatMap(program ->
                        DECLARED.matcher(read(yaml(program))).results().map(found -> found.group(1)))
                .collect(Collectors.toSet());
        Set<String> used = new TreeSet<>();
        files(INFRA.resolve(folder)).forEach(file -> {
            Matcher found = VARIABLE.matcher(read(file));
            while (found.find()) used.add(found.group());
        });
        assertThat(known).containsAll(used);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "systemd/chat-server.env",
                "systemd/consumer.env",
                "compose/compose.yml",
                "helm/confab/templates/_helpers.tpl",
                "terraform/variables.tf",
                "images/Containerfile",
                "images/measure"
            })
    void everyFileSetsTheIdentityMode(String file) {
        assertThat(read(INFRA.resolve(file))).containsPattern("\\bCHAT_IDENTITY\\b");
    }

    @Test
    void chatServerStopTimeoutExceedsItsDrain() {
        Duration drain = setting("chat-server", "announce")
                .plus(constant(
                        "chat-server/src/main/java/chat/server/DrainSettings.java", "SPREAD = Duration.ofMillis"))
                .plus(drainTimeout());
        Duration unit = seconds("systemd/confab-chat-server@.service", "TimeoutStopSec=(\\d+)");
        assertThat(unit).isGreaterThan(drain.plus(announced("systemd/chat-server.env")));
        assertThat(seconds("compose/compose.yml", "stop_grace_period: (\\d+)s")).isGreaterThan(drain);
        Duration pod = seconds("helm/confab/values.yaml", "terminationGracePeriodSeconds: (\\d+)");
        assertThat(pod).isGreaterThan(drain.plus(seconds("helm/confab/values.yaml", "preStopSeconds: (\\d+)")));
    }

    /** In the worst case a check has just passed when the server starts to stop. */
    @Test
    void announcedStopOutlastsTheBalancersChecks() {
        Duration haproxy = seconds("haproxy/haproxy.cfg", "inter (\\d+)s")
                .plus(seconds("haproxy/haproxy.cfg", "fastinter (\\d+)s").multipliedBy(2));
        assertThat(announced("systemd/chat-server.env")).isGreaterThan(haproxy);
        long failures =
                seconds("terraform/balancer.tf", "unhealthy_threshold = (\\d+)").toSeconds();
        Duration aws = seconds("terraform/balancer.tf", "interval += (\\d+)").multipliedBy(failures);
        assertThat(seconds("terraform/programs.tf", "CHAT_SERVER_DRAIN_ANNOUNCE += \"(\\d+)s\""))
                .isGreaterThan(aws);
    }

    @Test
    void consumerStopTimeoutExceedsItsLimit() {
        Duration limit = constant(
                "persistence-consumer/src/main/java/chat/persistence/ingest/IngestSettings.java",
                "STOP_LIMIT = Duration.ofSeconds");
        assertThat(seconds("systemd/confab-consumer.service", "TimeoutStopSec=(\\d+)"))
                .isGreaterThan(limit);
        assertThat(seconds("helm/confab/templates/consumer.yaml", "terminationGracePeriodSeconds: (\\d+)"))
                .isGreaterThan(limit);
    }

    @ParameterizedTest
    @ValueSource(strings = {"confab-chat-server@.service", "confab-consumer.service"})
    void unitsAreHardenedAndHaveTheFileLimit(String unit) {
        assertThat(read(INFRA.resolve("systemd").resolve(unit)))
                .contains(
                        "\nLimitNOFILE=65535\n",
                        "\nDynamicUser=yes\n",
                        "\nNoNewPrivileges=yes\n",
                        "\nProtectSystem=strict\n");
    }

    @Test
    void composeTargetsAreServicesThatItStarts() throws IOException {
        Map<String, Object> compose = Rules.yaml(INFRA.resolve("compose/compose.yml"));
        Set<String> addresses = new TreeSet<>();
        Matcher found = Pattern.compile("ipv4_address: ([\\d.]+)").matcher(read(INFRA.resolve("compose/compose.yml")));
        while (found.find()) addresses.add(found.group(1));
        assertThat(compose).containsKeys("services", "secrets");
        files(INFRA.resolve("compose/targets")).forEach(file -> {
            Matcher target = Pattern.compile("\"([\\d.]+):\\d+\"").matcher(read(file));
            while (target.find()) assertThat(addresses).as(file.toString()).contains(target.group(1));
        });
    }

    /** Returns the drain's timeout, the first one after {@code drain:}. */
    private static Duration drainTimeout() {
        String text = read(yaml("chat-server"));
        return duration(text.substring(text.indexOf("drain:")), "timeout");
    }

    private static Duration setting(String program, String name) {
        return duration(read(yaml(program)), name);
    }

    private static Duration duration(String yaml, String name) {
        Matcher found =
                Pattern.compile("\\b" + name + ": (?:\\$\\{[A-Z_]+:)?(\\w+)").matcher(yaml);
        assertThat(found.find()).as(name).isTrue();
        return DurationStyle.detectAndParse(found.group(1));
    }

    /** @param definition of a constant, up to its factory method */
    private static Duration constant(String source, String definition) {
        Matcher found = Pattern.compile(Pattern.quote(definition) + "\\((\\d+)\\)")
                .matcher(read(TestPlaces.root().resolve(source)));
        assertThat(found.find()).as(definition).isTrue();
        long value = Long.parseLong(found.group(1));
        return definition.endsWith("ofMillis") ? Duration.ofMillis(value) : Duration.ofSeconds(value);
    }

    private static Duration announced(String file) {
        return seconds(file, "CHAT_SERVER_DRAIN_ANNOUNCE=(\\d+)s");
    }

    private static Duration seconds(String file, String pattern) {
        Matcher found = Pattern.compile(pattern).matcher(read(INFRA.resolve(file)));
        assertThat(found.find()).as(file + ": " + pattern).isTrue();
        return Duration.ofSeconds(Long.parseLong(found.group(1)));
    }

    private static Path yaml(String program) {
        return TestPlaces.root().resolve(program + "/src/main/resources/" + program + ".yml");
    }

    private static Stream<Path> files(Path folder) {
        try (Stream<Path> all = Files.walk(folder)) {
            return all
                    .filter(Files::isRegularFile)
                    .filter(file -> !file.toString().contains("/secrets/")
                            && !file.toString().contains("/.terraform/"))
                    .toList()
                    .stream();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
