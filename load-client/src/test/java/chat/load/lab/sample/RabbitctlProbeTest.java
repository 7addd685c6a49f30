package chat.load.lab.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Against a script that answers as RabbitMQ 3.10 does, with fields left out. */
@Timeout(30)
@DisabledOnOs(OS.WINDOWS)
class RabbitctlProbeTest {
    private final RecordedSink sink = new RecordedSink();

    @TempDir
    private Path directory;

    @Test
    void asksThreeQuestionsInTurn() throws Exception {
        RabbitctlProbe probe = new RabbitctlProbe(script("""
                [ "$1 $2 $3" = "--quiet --formatter json" ] || exit 9
                case $4 in
                list_queues) echo '[{"name":"chat.log.3","messages":1571},{"name":"chat.log.1","messages":1661}]' ;;
                list_channels) echo '[
                  {"messages_unconfirmed":2,"messages_unacknowledged":0}
                  ,{"messages_unconfirmed":1,"messages_unacknowledged":16}
                  ]' ;;
                status) echo '{"alarms":[],"disk_free":80669380608,"totals":{"connection_count":5},
                  "memory":{"total":{"erlang":89824200,"rss":131395584}}}' ;;
                esac
                """));
        for (int question = 0; question < 3; question++) probe.sample(sink);
        assertThat(sink.gauges)
                .containsEntry("rabbitmq.messages", 3_232.0)
                .containsEntry("rabbitmq.unconfirmed", 3.0)
                .containsEntry("rabbitmq.unacknowledged", 16.0)
                .containsEntry("rabbitmq.memory", 131_395_584.0)
                .containsEntry("rabbitmq.diskFree", 80_669_380_608.0)
                .containsEntry("rabbitmq.queues", 2.0)
                .containsEntry("rabbitmq.channels", 2.0)
                .containsEntry("rabbitmq.connections", 5.0)
                .containsEntry("rabbitmq.alarms", 0.0);
        assertThat(sink.told).singleElement().asString().contains("is asked every 15 s");
    }

    @Test
    void errorOfRabbitmqctlIsReported() throws IOException {
        RabbitctlProbe probe = new RabbitctlProbe(script("echo; echo 'Error: unable to connect' >&2; exit 69\n"));
        assertThatThrownBy(() -> probe.sample(sink))
                .isInstanceOf(IOException.class)
                .hasMessage("Error: unable to connect");
    }

    @Test
    void anAnswerThatIsNoJson() throws IOException {
        RabbitctlProbe probe = new RabbitctlProbe(script("echo hello\n"));
        assertThatThrownBy(() -> probe.sample(sink))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("not JSON");
    }

    @Test
    void aScriptThatIsNotThere() {
        RabbitctlProbe probe = new RabbitctlProbe(directory.resolve("nowhere"));
        assertThatThrownBy(() -> probe.sample(sink)).isInstanceOf(IOException.class);
    }

    private Path script(String body) throws IOException {
        Path script = Files.writeString(directory.resolve("rabbitmqctl"), "#!/bin/sh\n" + body);
        assertThat(script.toFile().setExecutable(true)).isTrue();
        return script;
    }
}
