package chat.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import chat.load.lab.sample.SampleSettings;
import chat.load.lab.sample.SampleSettings.Metrics;
import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

class SampleOptionsTest {
    @Test
    void allOptionsAreOptional() {
        SampleSettings settings = settings();
        assertThat(settings.metrics()).isEmpty();
        assertThat(settings.postgresUrl()).isNull();
        assertThat(settings.askRabbitmqctl()).isFalse();
    }

    @Test
    void endpointsMayHaveNames() {
        assertThat(settings(
                                "--metrics-url",
                                "http://127.0.0.1:9081",
                                "--metrics-url",
                                "rabbitmq=http://127.0.0.1:15692/metrics?x=y")
                        .metrics())
                .containsExactly(
                        new Metrics("", URI.create("http://127.0.0.1:9081")),
                        new Metrics("rabbitmq", URI.create("http://127.0.0.1:15692/metrics?x=y")));
        assertThat(settings("--metrics-url", "http://host:1/metrics?a=b").metrics())
                .containsExactly(new Metrics("", URI.create("http://host:1/metrics?a=b")));
    }

    @Test
    void rabbitmqctlMayBeThePlatformsOwn() {
        SampleSettings own = settings("--platform-dir", "/tmp/confab", "--rabbitmqctl");
        assertThat(own.askRabbitmqctl()).isTrue();
        assertThat(own.rabbitmqctl()).isNull();
        assertThat(own.platformDirectory()).isEqualTo(Path.of("/tmp/confab"));
        assertThat(settings("--rabbitmqctl=/usr/sbin/rabbitmqctl").rabbitmqctl())
                .isEqualTo(Path.of("/usr/sbin/rabbitmqctl"));
    }

    @Test
    void aPasswordIsNeverShown() {
        String url = "jdbc:postgresql://db/chat?user=u&password=secret";
        assertThat(settings("--postgres-url", url).toString()).doesNotContain("secret");
        assertThatThrownBy(() -> settings("--postgres-url", "mysql://u:secret@db/chat"))
                .isInstanceOf(ParameterException.class)
                .hasMessageContaining("a database is given as")
                .hasMessageNotContaining("secret");
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:9081", "ftp://host", "http://", "a b=http://host", "x/y=http://host"})
    void invalidEndpointIsRejected(String value) {
        assertThatThrownBy(() -> settings("--metrics-url", value)).isInstanceOf(ParameterException.class);
    }

    private static SampleSettings settings(String... arguments) {
        SampleOptions options = new SampleOptions();
        CommandSpec spec = CommandSpec.create();
        spec.addMixin("sampling", CommandSpec.forAnnotatedObject(options));
        new CommandLine(spec).parseArgs(arguments);
        return options.settings();
    }
}
