package chat.log.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

class RabbitLogSettingsTest {
    @Test
    void singleNodeIsTheAddress() {
        assertThat(nodes("amqps://al:p%40ss@mq:5671/chat")).containsExactly("amqps://al:p%40ss@mq:5671/chat");
        assertThat(nodes("amqp://localhost")).containsExactly("amqp://localhost");
    }

    @Test
    void eachNodeOfAClusterHasTheUserAndTheVirtualHost() {
        assertThat(nodes("amqp://al:p%40ss@mq-1:5672,10.0.0.2,mq-3:5674/chat?heartbeat=5"))
                .containsExactly(
                        "amqp://al:p%40ss@mq-1:5672/chat?heartbeat=5",
                        "amqp://al:p%40ss@10.0.0.2/chat?heartbeat=5", "amqp://al:p%40ss@mq-3:5674/chat?heartbeat=5");
    }

    @Test
    void clusterIsParsedFromASetting() {
        Map<String, String> given = Map.of(
                "chat.rabbitmq.uri", "amqp://al:p%40ss@mq-1:5672,mq-2:5672/chat",
                "chat.rabbitmq.partitions", "4",
                "chat.rabbitmq.prefix", "chat");
        RabbitLogSettings settings = new Binder(new MapConfigurationPropertySource(given))
                .bind("chat.rabbitmq", RabbitLogSettings.class)
                .get();
        assertThat(settings.nodes())
                .containsExactly(
                        URI.create("amqp://al:p%40ss@mq-1:5672/chat"), URI.create("amqp://al:p%40ss@mq-2:5672/chat"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "amqp:///chat",
                "http://al:hunter2@mq",
                "amqp://al:hunter2@mq-1,",
                "amqp://al:hunter2@,mq-2",
                "amqp://al:hunter2@mq-1,mq-2:port",
                "mq-1,mq-2",
                "amqp://al:hun ter2@mq",
                "amqp://al:hunter2/@mq"
            })
    void invalidAddressIsRejectedWithoutThePassword(String uri) {
        assertThatThrownBy(() -> new RabbitLogSettings(uri, 4, "chat"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must look like amqp://user:password@host:5672/vhost")
                .hasMessageNotContainingAny("hunter2", "ter2");
    }

    @Test
    void toStringOmitsThePassword() {
        assertThat(settings("amqp://al:hun%40ter2@mq-1:5672,mq-2:5672/chat"))
                .hasToString(
                        "RabbitLogSettings[uri=amqp://mq-1:5672,mq-2:5672/chat, partitions=4, prefix=chat, credit=16,"
                                + " connectTimeout=PT5S]");
    }

    /** With less credit a reader would wait 20 ms for each group of entries. */
    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 1, 8, 1001})
    void creditBelowTheAcknowledgedGroupIsRejected(int credit) {
        assertThatThrownBy(() -> credit(credit)).hasMessageStartingWith("credit must be 9 to 1000");
    }

    @ParameterizedTest
    @ValueSource(ints = {9, 16, 1000})
    void creditAboveTheAcknowledgedGroupIsAccepted(int credit) {
        assertThat(credit(credit).credit()).isEqualTo(credit);
    }

    private static RabbitLogSettings credit(int credit) {
        return new RabbitLogSettings(URI.create("amqp://localhost"), 4, "chat", credit, Duration.ofSeconds(5));
    }

    private static List<String> nodes(String uri) {
        return settings(uri).nodes().stream().map(URI::toString).toList();
    }

    private static RabbitLogSettings settings(String uri) {
        return new RabbitLogSettings(URI.create(uri), 4, "chat", 16, Duration.ofSeconds(5));
    }
}
