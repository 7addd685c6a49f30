package chat.persistence.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import chat.persistence.dashboard.ServerFigures.ReadLag;
import chat.persistence.dashboard.ServerFigures.Refusal;
import chat.persistence.dashboard.ServerFigures.Refused;
import chat.persistence.dashboard.Window.Reading;
import chat.persistence.dashboard.Window.View;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Figures are found among metrics as Micrometer writes them for Prometheus. */
class FiguresTest {
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Window window = new Window();
    private long now = 1_000_000;

    private View read(Collection<String> names) {
        now += 10_000;
        return window.add(
                new Reading(now, Samples.parse(registry.scrape("text/plain;version=0.0.4", Set.copyOf(names)))));
    }

    private void gauge(String name, double value, String... tags) {
        Gauge.builder(name, () -> value).tags(tags).strongReference(true).register(registry);
    }

    private void count(String name, double times, String... tags) {
        registry.counter(name, Tags.of(tags)).increment(times);
    }

    @Test
    void figuresOfAServerAreReadFromItsMetrics() {
        gauge("chat.connections", 8);
        gauge("chat.sessions", 7);
        gauge("chat.sessions.max", 20_000);
        gauge("chat.memberships", 9);
        gauge("chat.outbox.bytes", 4096);
        gauge("chat.guard.refusing", 1);
        gauge("chat.log.state", 0, "state", "UP");
        gauge("chat.log.state", 1, "state", "BLOCKED");
        gauge("chat.log.breaker", 1, "state", "HALF_OPEN");
        Gauge.builder("chat.log.read.lag", () -> 0.5)
                .tag("partition", "10")
                .baseUnit("seconds")
                .register(registry);
        Gauge.builder("chat.log.read.lag", () -> 0.25)
                .tag("partition", "9")
                .baseUnit("seconds")
                .register(registry);
        count("chat.intake", 0, "outcome", "taken");
        count("chat.deliveries", 0);
        Timer accepted = Timer.builder("chat.log.read.back")
                .publishPercentileHistogram()
                .minimumExpectedValue(Duration.ofMillis(1))
                .maximumExpectedValue(Duration.ofSeconds(30))
                .register(registry);
        View unused = read(ServerFigures.NAMES);
        count("chat.intake", 50, "outcome", "taken");
        count("chat.intake", 4, "outcome", "answered");
        count("chat.intake", 20, "outcome", "RATE_LIMITED");
        count("chat.deliveries", 500);
        count("chat.refused", 30, "reason", "event-loop");
        count("chat.handshakes.refused", 10);
        for (int i = 0; i < 100; i++) accepted.record(Duration.ofMillis(i < 95 ? 5 : 500));

        ServerFigures figures = ServerFigures.of(read(ServerFigures.NAMES));
        assertThat(figures.connections()).isEqualTo(8);
        assertThat(figures.sessions()).isEqualTo(7);
        assertThat(figures.maxSessions()).isEqualTo(20_000);
        assertThat(figures.memberships()).isEqualTo(9);
        assertThat(figures.outboxBytes()).isEqualTo(4096);
        assertThat(figures.refusing()).isTrue();
        assertThat(figures.log()).isEqualTo("BLOCKED");
        assertThat(figures.breaker()).isEqualTo("HALF_OPEN");
        assertThat(figures.takenPerSecond()).isEqualTo(5);
        assertThat(figures.deliveriesPerSecond()).isEqualTo(50);
        assertThat(figures.refusals())
                .containsExactly(
                        new Refusal(Refused.SOCKET, "event-loop", 30, 3.0),
                        new Refusal(Refused.MESSAGE, "RATE_LIMITED", 20, 2.0),
                        new Refusal(Refused.SOCKET, "handshakes", 10, 1.0));
        assertThat(figures.partitions()).isEqualTo(List.of(new ReadLag(9, 0.25), new ReadLag(10, 0.5)));
        assertThat(figures.accepted().p50()).isBetween(4.0, 6.0);
        assertThat(figures.accepted().p99()).isBetween(400.0, 600.0);
    }

    @Test
    void figuresOfTheConsumerAreReadFromItsMetrics() {
        DistributionSummary size = DistributionSummary.builder("persistence.batch.size")
                .baseUnit("messages")
                .register(registry);
        Timer write = Timer.builder("persistence.batch.write")
                .publishPercentiles(0.5, 0.95, 0.99, 0.999)
                .register(registry);
        Gauge.builder("persistence.rollup.age", () -> 1.5).baseUnit("seconds").register(registry);
        count("persistence.refused", 0, "reason", "token-expired");
        View unused = read(ConsumerFigures.NAMES);
        count("persistence.stored", 900);
        count("persistence.duplicates", 3);
        count("persistence.dead.letters", 2);
        count("persistence.gaps", 1);
        count("persistence.retries", 4);
        count("persistence.flushes", 2, "cause", "size");
        count("persistence.flushes", 1, "cause", "time");
        count("persistence.refused", 5, "reason", "token-missing");
        count("persistence.rest.rate", 6, "outcome", "refused");
        for (int messages : new int[] {1000, 1000, 400}) {
            size.record(messages);
            write.record(Duration.ofMillis(20));
        }

        ConsumerFigures figures = ConsumerFigures.of(read(ConsumerFigures.NAMES));
        assertThat(figures.stored()).isEqualTo(900);
        assertThat(figures.storedPerSecond()).isEqualTo(90);
        assertThat(figures.duplicates()).isEqualTo(3);
        assertThat(figures.deadLetters()).isEqualTo(2);
        assertThat(figures.gaps()).isEqualTo(1);
        assertThat(figures.retries()).isEqualTo(4);
        assertThat(figures.countedAgeSeconds()).isEqualTo(1.5);
        assertThat(figures.batches().written()).isEqualTo(3);
        assertThat(figures.batches().meanSize()).isEqualTo(800);
        assertThat(figures.batches().largest()).isEqualTo(1000);
        assertThat(figures.batches().writing().p50()).isBetween(18.0, 22.0);
        assertThat(figures.batches().closedBy()).isEqualTo(Map.of("size", 2L, "time", 1L));
        assertThat(figures.refusals()).isEqualTo(Map.of("token-missing", 5L, "rate", 6L));
    }
}
