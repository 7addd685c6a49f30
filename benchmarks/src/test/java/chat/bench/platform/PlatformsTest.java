package chat.bench.platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlatformsTest {
    @TempDir
    Path root;

    @Test
    void processIdsAreReadFromTheLineOfTheLauncher() {
        String line = "Pids   server-1 11, server-2 12, consumer 13, rabbitmq 14, postgres 15";
        assertThat(Platform.pids("server-", line)).containsExactly(11L, 12L);
        assertThat(Platform.pids("consumer", line)).containsExactly(13L);
        assertThat(Platform.pids("rabbitmq", line)).containsExactly(14L);
    }

    @Test
    void closeStopsThePlatformsWithPausedConsumersAndDeletesTheirFiles() throws Exception {
        FakeCheckout fake = new FakeCheckout(root);
        Path file;
        ProcessHandle server;
        ProcessHandle consumer;
        try (Platforms platforms = new Platforms(fake.checkout())) {
            Platform platform = platforms.start("one", 8081, 1, Map.of("JDK_JAVA_OPTIONS", "-Xmx1g"));
            server = ProcessHandle.of(platform.servers().getFirst()).orElseThrow();
            consumer = ProcessHandle.of(platform.consumers().getFirst()).orElseThrow();
            platforms.pauseConsumer(platform);
            file = platforms.file("x");
            assertThat(server.isAlive()).isTrue();
            assertThat(Platform.cpu(platform.servers())).isGreaterThanOrEqualTo(Duration.ZERO);
        }
        assertThat(server.isAlive()).isFalse();
        assertThat(consumer.isAlive()).isFalse();
        assertThat(file.getParent()).doesNotExist();
        assertThat(fake.calls()).containsExactly("run --servers 1 --open --port 8081 -Xmx1g");
    }

    @Test
    void platformThatExitsFailsTheMeasurementWithItsLastLines() throws Exception {
        new FakeCheckout(root);
        Files.writeString(root.resolve("run"), "#!/bin/sh\necho Port 8081 is in use\nexit 1\n");
        try (Platforms platforms = new Platforms(new Checkout(root))) {
            assertThatThrownBy(() -> platforms.start("one", 8081, 1, Map.of()))
                    .isInstanceOf(MeasurementFailure.class)
                    .hasMessage("Platform one exited: Port 8081 is in use");
        }
    }

    @Test
    void loadThatFailsACheckFailsTheMeasurement() throws Exception {
        FakeCheckout fake = new FakeCheckout(root);
        fake.exitCode(1);
        try (Platforms platforms = new Platforms(fake.checkout())) {
            assertThatThrownBy(() -> new Loads(platforms).run("one", List.of("fanout")))
                    .isInstanceOf(MeasurementFailure.class)
                    .hasMessageContaining("The load on one failed: Reading plan")
                    .hasMessageContaining("FAIL  order: 3");
        }
    }

    @Test
    void resultIsReadFromTheSummaryOfTheLoad() throws Exception {
        try (Platforms platforms = new Platforms(new FakeCheckout(root).checkout())) {
            LoadResult result = new Loads(platforms).run("one", List.of("fanout"));
            assertThat(result.rate()).isEqualTo(1000.4);
            assertThat(result.latency("frame to ACK").p99()).isEqualTo(33);
            assertThat(result.latency("frame to row").p99()).isNaN();
            assertThat(result.seconds("storage")).isEqualTo(9.404);
            assertThat(result.cores("chat")).isEqualTo(0.75);
            assertThat(result.cpuMicrosPerDelivery()).isEqualTo(20);
        }
    }

    @Test
    void processorsAreCountedByName() {
        assertThat(Checkout.processors(
                        "processor : 0\nmodel name\t: Intel X\nflags : a\nprocessor : 1\nmodel name\t: Intel X\n"))
                .isEqualTo("2 Intel X");
    }
}
