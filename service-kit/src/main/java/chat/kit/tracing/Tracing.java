package chat.kit.tracing;

import chat.kit.admission.Rate;
import io.github.bucket4j.TimeMeter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Sets up tracing for one program if its settings enable it: spans go through a bounded queue to a collector. */
public final class Tracing implements AutoCloseable {
    /** Limit of traced messages per program and second, because clients choose the ids that decide. */
    private static final int MAX_PER_SECOND = 100;

    private static final int QUEUE = 2_048;
    private static final Duration DELAY = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final @Nullable Running running;

    private record Running(OpenTelemetryTraces traces, CountingExporter exporter, SdkTracerProvider provider) {}

    private Tracing(@Nullable Running running) {
        this.running = running;
    }

    /**
     * @param service name of the program
     * @param instance id of the instance; empty: unknown
     */
    public static Tracing of(TracingSettings settings, String service, String instance) {
        if (settings.endpoint().isEmpty()) return new Tracing(null);
        CountingExporter exporter = new CountingExporter(OtlpHttpSpanExporter.builder()
                .setEndpoint(settings.endpoint())
                .setTimeout(PATIENCE)
                .setRetryPolicy(null) // failed exports are counted and dropped: traces are samples
                .build());
        SpanIds ids = new SpanIds();
        SdkTracerProvider provider = SdkTracerProvider.builder()
                .setIdGenerator(ids)
                .setResource(resource(service, instance))
                .addSpanProcessor(BatchSpanProcessor.builder(exporter)
                        .setMaxQueueSize(QUEUE)
                        .setScheduleDelay(DELAY)
                        .setExporterTimeout(PATIENCE)
                        .build())
                .build();
        OpenTelemetryTraces traces = new OpenTelemetryTraces(
                new TraceSample(settings.probability()),
                new Rate(MAX_PER_SECOND, MAX_PER_SECOND).bucket(TimeMeter.SYSTEM_NANOTIME),
                provider.get("chat.confab"),
                ids,
                Clock.systemUTC(),
                System::nanoTime);
        return new Tracing(new Running(traces, exporter, provider));
    }

    private static Resource resource(String service, String instance) {
        Resource program = Resource.getDefault()
                .merge(Resource.create(Attributes.of(AttributeKey.stringKey("service.name"), service)));
        return instance.isEmpty()
                ? program
                : program.merge(
                        Resource.create(Attributes.of(AttributeKey.stringKey("service.instance.id"), instance)));
    }

    /** Returns null if tracing is disabled. */
    public @Nullable Traces traces() {
        return running == null ? null : running.traces();
    }

    /** @param name name of the counters; told = exported + failed + queued + dropped because of a full queue */
    public void bind(MeterRegistry registry, String name) {
        if (running == null) return;
        counter(registry, name, "told", running.traces().told);
        counter(registry, name, "exported", running.exporter().exported);
        counter(registry, name, "failed", running.exporter().failed);
        FunctionCounter.builder(name + ".left.out", running.traces().leftOut, LongAdder::sum)
                .register(registry);
    }

    private static void counter(MeterRegistry registry, String name, String outcome, LongAdder count) {
        FunctionCounter.builder(name, count, LongAdder::sum)
                .tag("outcome", outcome)
                .register(registry);
    }

    /** Exports queued spans, for a few seconds at most. */
    @Override
    public void close() {
        if (running != null) running.provider().shutdown().join(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    }
}
