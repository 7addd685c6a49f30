package chat.kit.tracing;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.concurrent.atomic.LongAdder;

/** Counts spans that were exported to the collector, and those that failed. */
final class CountingExporter implements SpanExporter {
    private final SpanExporter exporter;
    final LongAdder exported = new LongAdder();
    final LongAdder failed = new LongAdder();

    CountingExporter(SpanExporter exporter) {
        this.exporter = exporter;
    }

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
        int size = spans.size(); // the delegate may reuse the collection
        CompletableResultCode result = exporter.export(spans);
        result.whenComplete(() -> (result.isSuccess() ? exported : failed).add(size));
        return result;
    }

    @Override
    public CompletableResultCode flush() {
        return exporter.flush();
    }

    @Override
    public CompletableResultCode shutdown() {
        return exporter.shutdown();
    }
}
