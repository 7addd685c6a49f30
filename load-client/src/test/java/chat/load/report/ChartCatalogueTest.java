package chat.load.report;

import static org.assertj.core.api.Assertions.assertThat;

import chat.load.report.ChartCatalogue.Chart;
import chat.load.report.ChartCatalogue.Kind;
import chat.load.report.ChartCatalogue.Line;
import chat.load.report.ChartCatalogue.Unit;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChartCatalogueTest {
    private final Samples samples = new Samples();

    @Test
    void aSourceThatNobodyThoughtOfJoinsTheOthersByItsMetric() {
        put("generator.cpu", 1);
        put("nats.cpu", 1);
        Chart cpu = chart("CPU");
        assertThat(cpu.kind()).isEqualTo(Kind.STACKED);
        assertThat(cpu.lines())
                .containsExactly(
                        new Line("generator.cpu", "generator", "generator"), new Line("nats.cpu", "nats", "nats"));
    }

    @Test
    void partsOfAMetricAreLinesOfTheirOwn() {
        put("rabbitmq.depth.chat-0", 1);
        put("rabbitmq.depth.chat-1", 1);
        put("rabbitmq.depthMax", 1);
        assertThat(chart("Queue depth").lines())
                .extracting(Line::label)
                .containsExactly("rabbitmq depth chat-0", "rabbitmq depth chat-1");
        assertThat(ChartCatalogue.of(samples).others())
                .singleElement()
                .extracting(Chart::title)
                .isEqualTo("depth max");
    }

    @Test
    void seriesNamedByAChartIsNotTakenByAPattern() {
        put("machine.busy", 1);
        put("disk-sda.busy", 1);
        put("chat-8081.sessions", 1);
        put("postgresql.sessions", 1);
        put("client.gaps", 1);
        put("consumer.gaps", 1);
        assertThat(chart("Disks, busy").lines()).extracting(Line::series).containsExactly("disk-sda.busy");
        assertThat(chart("Connections").lines()).extracting(Line::series).containsExactly("chat-8081.sessions");
        assertThat(chart("Troubles of the platform").lines())
                .extracting(Line::series)
                .containsExactly("consumer.gaps");
    }

    @Test
    void percentilesOfOneLatencyShareALogarithmicChart() {
        put("client.ack.p50", 1);
        put("client.ack.p99", 2);
        Chart ack = chart("Frame to ACK");
        assertThat(ack.kind()).isEqualTo(Kind.LOG);
        assertThat(ack.lines()).extracting(Line::label).containsExactly("p50", "p99");
    }

    @Test
    void troublesThatNeverCameNeedNoChart() {
        put("client.refused", 0);
        put("client.retries", 0);
        put("client.accepted", 0);
        ChartCatalogue catalogue = ChartCatalogue.of(samples);
        assertThat(catalogue.nothingHappened()).containsExactly("Refusals, retries and gaps");
        assertThat(chart("Messages").lines()).hasSize(1);
        put("client.retries", 1);
        assertThat(chart("Refusals, retries and gaps").events()).isTrue();
        assertThat(chart("Refusals, retries and gaps").lines())
                .extracting(Line::label)
                .containsExactly("retries");
    }

    @Test
    void missingSeriesIsNamed() {
        put("client.accepted", 1);
        samples.put(0, "consumer.lag", Double.NaN);
        assertThat(ChartCatalogue.of(samples).notMeasured())
                .contains("Consumer lag", "Frame to row", "CPU")
                .doesNotContain("Messages");
    }

    @Test
    void unclaimedSeriesAreGroupedByMetric() {
        put("consumer.fds", 3);
        put("rabbitmq.fds", 4);
        put("rabbitmq.readBytes", 4);
        List<Chart> others = ChartCatalogue.of(samples).others();
        assertThat(others).extracting(Chart::title).containsExactly("fds", "read bytes");
        assertThat(others).extracting(Chart::unit).containsExactly(Unit.COUNT, Unit.BYTES);
        assertThat(others.getFirst().lines()).extracting(Line::label).containsExactly("consumer", "rabbitmq");
    }

    private void put(String name, double value) {
        samples.put(0, name, value);
    }

    private Chart chart(String title) {
        return ChartCatalogue.of(samples).groups().stream()
                .flatMap(group -> group.charts().stream())
                .filter(chart -> chart.title().equals(title))
                .findFirst()
                .orElseThrow();
    }
}
