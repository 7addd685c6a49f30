package chat.kit.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import chat.kit.admission.Rate;
import io.github.bucket4j.TimeMeter;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class OpenTelemetryTracesTest {
    private static final UUID ID = UUID.fromString("0196f3c5-7a10-7000-8000-000000000001");
    private static final Instant NOW = Instant.ofEpochMilli(1_795_222_911_000L);
    /** Current value of the nanosecond clock. */
    private static final long NANOS = TimeUnit.HOURS.toNanos(3);

    private final InMemorySpanExporter told = InMemorySpanExporter.create();

    private OpenTelemetryTraces program(double probability, int bound) {
        SpanIds ids = new SpanIds();
        SdkTracerProvider provider = SdkTracerProvider.builder()
                .setIdGenerator(ids)
                .addSpanProcessor(SimpleSpanProcessor.create(told))
                .build();
        return new OpenTelemetryTraces(
                new TraceSample(probability),
                new Rate(0.001, bound).bucket(TimeMeter.SYSTEM_NANOTIME),
                provider.get("test"),
                ids,
                Clock.fixed(NOW, ZoneOffset.UTC),
                () -> NANOS);
    }

    private static TracedMessage message(long run) {
        return new TracedMessage(ID.getMostSignificantBits(), ID.getLeastSignificantBits(), run, "lobby", 3, 2048);
    }

    private static long ago(long millis) {
        return NANOS - TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private SpanData span(String name) {
        return told.getFinishedSpanItems().stream()
                .filter(span -> span.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void stepsOfThreeProgramsAreOneTraceWithTheMessageId() {
        program(1, 10).tell(new Step.Row(message(7), 12, ago(20), ago(10), ago(1)));
        program(1, 10).tell(new Step.Delivery(message(7), 5, ago(20), ago(15)));
        program(1, 10).tell(new Step.Frame(message(7), NOW.toEpochMilli() - 30, ago(28), ago(25), ago(20), ago(15)));

        assertThat(told.getFinishedSpanItems())
                .hasSize(3)
                .allSatisfy(span ->
                        assertThat(span.getTraceId()).isEqualTo(ID.toString().replace("-", "")));
        SpanData frame = span("frame");
        assertThat(frame.getParentSpanId()).isEqualTo(SpanId.getInvalid());
        assertThat(span("deliver").getParentSpanId()).isEqualTo(frame.getSpanId());
        assertThat(span("row").getParentSpanId()).isEqualTo(frame.getSpanId());
    }

    @Test
    void frameSpanHasEventsForItsSteps() {
        program(1, 10).tell(new Step.Frame(message(7), NOW.toEpochMilli() - 30, ago(28), ago(25), ago(20), ago(15)));
        SpanData frame = span("frame");
        long now = TimeUnit.MILLISECONDS.toNanos(NOW.toEpochMilli());
        assertThat(now - frame.getStartEpochNanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(30));
        assertThat(now - frame.getEndEpochNanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(15));
        assertThat(frame.getEvents())
                .extracting(EventData::getName)
                .containsExactly("published", "confirmed", "read back");
        assertThat(frame.getAttributes().asMap().toString()).contains("lobby", "2048");
    }

    @Test
    void missingConfirmHasNoEvent() {
        program(1, 10).tell(new Step.Frame(message(7), NOW.toEpochMilli() - 30, ago(28), 0, ago(20), ago(15)));
        assertThat(span("frame").getEvents()).extracting(EventData::getName).containsExactly("published", "read back");
    }

    @Test
    void resendThroughAnotherServerIsAnotherSpanOfTheTrace() {
        assertThat(message(7).frameSpan()).isNotEqualTo(message(8).frameSpan());
    }

    @Test
    void messagesBeyondTheLimitAreCountedAndNotTraced() {
        OpenTelemetryTraces traces = program(1, 10);
        int included = 0;
        for (int i = 0; i < 100; i++) if (traces.includes(i + 1, i)) included++;
        assertThat(included).isEqualTo(10);
        assertThat(traces.leftOut.sum()).isEqualTo(90);
    }

    @Test
    void invalidTraceIdIsNotTraced() {
        assertThat(program(1, 10).includes(0, 0)).isFalse();
    }
}
