package chat.bench.targets;

import static org.assertj.core.api.Assertions.assertThat;

import chat.bench.platform.FakeCheckout;
import chat.bench.platform.Platforms;
import chat.bench.targets.TargetPlan.Part;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TargetTableTest {
    @TempDir
    Path root;

    private List<String> rows(FakeCheckout fake, int runs, Part part) throws Exception {
        List<String> lines = new ArrayList<>();
        try (Platforms platforms = new Platforms(fake.checkout());
                TargetTable table = new TargetTable(platforms, runs, false, lines::add)) {
            table.print(List.of(part));
        }
        assertThat(lines).element(2).isEqualTo("| | target | median | every run |");
        return lines.subList(4, lines.size());
    }

    @Test
    void chatIsMeasuredAfterAWarmUp() throws Exception {
        FakeCheckout fake = new FakeCheckout(root);
        assertThat(rows(fake, 2, Part.CHAT))
                .containsExactly(
                        "| window 1 | 45,000 messages/s | **1000** messages/s | 1000, 1000 |",
                        "| CPU of the servers per delivery | 0.5 µs | **20** µs | 20.00, 20.00 |",
                        "| cores: chat server, RabbitMQ, generator | | 0.75, 0.27, 0.6 | |",
                        "| window 16 | 120,000 messages/s | **1000** messages/s | 1000, 1000 |",
                        "| CPU of the servers per delivery | 0.2 µs | **20** µs | 20.00, 20.00 |",
                        "| cores: chat server, RabbitMQ, generator | | 0.75, 0.27, 0.6 | |");
        String fanout = "load fanout --url ws://127.0.0.1:8081 --history-url none ";
        assertThat(fake.calls())
                .containsExactly(
                        "run --servers 1 --open --port 8081",
                        fanout + "--window 1 --warm-up 200+200+200 --messages 800",
                        fanout + "--window 16 --warm-up 200 --messages 1200",
                        fanout + "--window 1 --warm-up 300 --messages 900",
                        fanout + "--window 1 --warm-up 300 --messages 900",
                        fanout + "--window 16 --warm-up 400 --messages 1800",
                        fanout + "--window 16 --warm-up 400 --messages 1800");
    }

    @Test
    void offeredRatesAreMeasuredOneAfterTheOther() throws Exception {
        FakeCheckout fake = new FakeCheckout(root);
        assertThat(rows(fake, 1, Part.OFFERED))
                .hasSize(15)
                .startsWith(
                        "| 5,000/s: frame to delivery, p50 | 2 ms | **8.25** ms | 8.25 |",
                        "| p99 | 8 ms | **32** ms | 32.00 |",
                        "| cores: chat server, RabbitMQ, generator | | 0.75, 0.27, 0.6 | |",
                        "| 2,000/s: frame to delivery, p50 | 1.5 ms | **8.25** ms | 8.25 |")
                .contains("| 250 rooms of two, 500/s: frame to delivery, p50 | 0.6 ms | **8.25** ms | 8.25 |");
        String fanout = "load fanout --url ws://127.0.0.1:8081 --history-url none ";
        assertThat(fake.calls())
                .endsWith(
                        fanout + "--warm-up 200 --rate 50 --duration 20s",
                        fanout + "--rooms 250 --users 2 --warm-up 200 --rate 500 --duration 20s");
    }

    @Test
    void slowConnectingIsMeasuredOnce() throws Exception {
        assertThat(rows(new FakeCheckout(root), 2, Part.CONNECTIONS))
                .containsExactly(
                        "| 10,000 connections, 1,000 per second: JOIN to WELCOME, p99 | 320 ms | **128.04** ms "
                                + "| 128.04, 128.04 |",
                        "| 10,000 connections, 100 per second: JOIN to WELCOME, p99 | 320 ms | **128.04** ms "
                                + "| 128.04 |");
    }

    @Test
    void standardRunsAlternateWithALogInMemory() throws Exception {
        FakeCheckout fake = new FakeCheckout(root);
        assertThat(rows(fake, 2, Part.STANDARD))
                .containsExactly(
                        "| standard run: the chat | 30 s | **18.7** s | 18.70, 18.70 |",
                        "| all rows stored and compared after | 60 s | **9.4** s | 9.40, 9.40 |",
                        "| messages |  | **1000** /s | 1000, 1000 |",
                        "| frame to ACK, p50 |  | **8.5** ms | 8.50, 8.50 |",
                        "| p99 |  | **33** ms | 33.00, 33.00 |",
                        "| the same with a log in memory: messages |  | **1000** /s | 1000, 1000 |",
                        "| durable to in memory | 0.85 | **1** | 1.00, 1.00 |");
        assertThat(fake.calls())
                .containsExactly(
                        "run --servers 1 --open --port 8081",
                        "run --port 24000 -Xmx1g",
                        "load baseline --url ws://127.0.0.1:8081 --warm-up 600+300",
                        "load baseline --url ws://127.0.0.1:24000 --warm-up 600+300",
                        "load baseline --url ws://127.0.0.1:24000 --warm-up 600+300",
                        "load baseline --url ws://127.0.0.1:8081 --warm-up 600+300");
    }
}
