package chat.load.lab.sample;

import static org.assertj.core.api.Assertions.assertThat;

import chat.load.report.Finding;
import chat.load.report.Samples;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** On this machine: the sampler as a run has it. */
@Timeout(240)
class SourcesTest {
    private static final SampleSettings NOTHING_GIVEN = new SampleSettings(List.of(), null, false, null, null);

    private static final long POLL_NANOS = 10_000_000;

    private final Samples samples = new Samples();

    @Test
    @EnabledOnOs(OS.LINUX)
    void machineAndGeneratorAreSampledWhateverTheTargetIs() {
        URI elsewhere = URI.create("wss://192.0.2.1/chat");
        try (Sampler sampler = sampler(new Targets(List.of(elsewhere), null), NOTHING_GIVEN)) {
            run(sampler, "machine.busy", "generator.cpu", "generator.heap");
            assertThat(sampler.notes())
                    .extracting(Finding::text)
                    .contains("Not on this machine, so that their processes are not sampled: " + elsewhere);
        }
    }

    @Test
    void aPortThatNobodySeenListensOnIsMentioned() {
        // This JVM is the generator, which is no server of its own run.
        try (Sampler sampler = sampler(new Targets(List.of(URI.create("ws://127.0.0.1:1")), null), NOTHING_GIVEN)) {
            run(sampler, "generator.heap");
            if (OS.LINUX.isCurrentOs())
                assertThat(sampler.notes())
                        .extracting(Finding::text)
                        .anyMatch(text -> text.startsWith("Port 1 is no process's"));
        }
    }

    @Test
    void endpointsGivenAreAskedUnderTheirNames() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(MetricsProbe.PATH, exchange -> {
            byte[] body = Recorded.bytes("chat-server.prom.txt");
            exchange.sendResponseHeaders(200, body.length);
            try (exchange) {
                exchange.getResponseBody().write(body);
            }
        });
        server.start();
        URI url = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        SampleSettings settings = new SampleSettings(
                List.of(new SampleSettings.Metrics("chat-east", url), new SampleSettings.Metrics("", url)),
                null,
                false,
                null,
                null);
        try (Sampler sampler = sampler(new Targets(List.of(URI.create("ws://127.0.0.1:1")), null), settings)) {
            run(sampler, "chat-east.sessions", "metrics-" + url.getPort() + ".sessions");
        } finally {
            server.stop(0);
        }
    }

    @Test
    void rabbitmqctlIsAskedOnlyWhereItIsKnown(@TempDir Path directory) {
        SampleSettings settings = new SampleSettings(List.of(), null, true, null, directory);
        try (Sampler sampler = sampler(new Targets(List.of(URI.create("ws://127.0.0.1:1")), null), settings)) {
            assertThat(sampler.notes())
                    .extracting(Finding::text)
                    .contains("RabbitMQ is not asked: there is no rabbitmqctl in the platform's directory");
        }
    }

    private Sampler sampler(Targets targets, SampleSettings settings) {
        long begin = System.nanoTime() - TimeUnit.SECONDS.toNanos(5);
        return Sources.sampler(targets, settings, samples, () -> System.nanoTime() - begin);
    }

    private void run(Sampler sampler, String... series) {
        sampler.start();
        while (!samples.names().containsAll(List.of(series))) LockSupport.parkNanos(POLL_NANOS);
    }
}
