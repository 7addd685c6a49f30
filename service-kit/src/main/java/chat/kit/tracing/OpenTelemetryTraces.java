package chat.kit.tracing;

import io.github.bucket4j.Bucket;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Creates spans of completed steps: the message's id is the trace id, and the span of its frame is the root. */
final class OpenTelemetryTraces implements Traces {
    private static final AttributeKey<String> ROOM = AttributeKey.stringKey("confab.room");
    private static final AttributeKey<Long> PARTITION = AttributeKey.longKey("confab.partition");
    private static final AttributeKey<Long> POSITION = AttributeKey.longKey("confab.position");
    private static final AttributeKey<Long> MEMBERS = AttributeKey.longKey("confab.members");
    private static final AttributeKey<Long> BATCH = AttributeKey.longKey("confab.batch");

    private final TraceSample sample;
    private final Bucket bound;
    private final Tracer tracer;
    private final SpanIds ids;
    private final Clock clock;
    private final LongSupplier nanoTime;
    /** Spans that were recorded. */
    final LongAdder told = new LongAdder();
    /** Messages that were not traced because of the limit per second. */
    final LongAdder leftOut = new LongAdder();

    /**
     * @param bound maximum number of messages per second
     * @param tracer a tracer that uses {@code ids} and samples every span
     * @param nanoTime a clock such as {@link System#nanoTime}
     */
    OpenTelemetryTraces(
            TraceSample sample, Bucket bound, Tracer tracer, SpanIds ids, Clock clock, LongSupplier nanoTime) {
        this.sample = sample;
        this.bound = bound;
        this.tracer = tracer;
        this.ids = ids;
        this.clock = clock;
        this.nanoTime = nanoTime;
    }

    @Override
    public boolean includes(long idHigh, long idLow) {
        if (!sample.includes(idHigh, idLow)) return false;
        // All zeros are not a valid trace id.
        if ((idHigh | idLow) == 0) return false;
        if (bound.tryConsume(1)) return true;
        leftOut.increment();
        return false;
    }

    @Override
    public void tell(Step step) {
        Instant now = clock.instant();
        long offset = TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano() - nanoTime.getAsLong();
        switch (step) {
            case Step.Frame frame -> ids.during(frame.message(), () -> frame(frame, offset));
            case Step.Delivery delivery ->
                below(delivery.message(), "deliver", delivery.read() + offset)
                        .setAttribute(MEMBERS, (long) delivery.members())
                        .startSpan()
                        .end(delivery.written() + offset, TimeUnit.NANOSECONDS);
            case Step.Row row ->
                below(row.message(), "row", row.read() + offset)
                        .setAttribute(BATCH, (long) row.batch())
                        .startSpan()
                        .addEvent("begin", row.begun() + offset, TimeUnit.NANOSECONDS)
                        .end(row.committed() + offset, TimeUnit.NANOSECONDS);
        }
        told.increment();
    }

    private void frame(Step.Frame frame, long offset) {
        Span span = builder(frame.message(), "frame", TimeUnit.MILLISECONDS.toNanos(frame.takenInMillis()))
                .setNoParent()
                .setSpanKind(SpanKind.SERVER)
                .startSpan();
        span.addEvent("published", frame.published() + offset, TimeUnit.NANOSECONDS);
        if (frame.confirmed() != 0) span.addEvent("confirmed", frame.confirmed() + offset, TimeUnit.NANOSECONDS);
        span.addEvent("read back", frame.read() + offset, TimeUnit.NANOSECONDS);
        span.end(frame.written() + offset, TimeUnit.NANOSECONDS);
    }

    private SpanBuilder below(TracedMessage message, String name, long start) {
        SpanContext parent = SpanContext.createFromRemoteParent(
                SpanIds.traceId(message),
                SpanIds.frameSpanId(message),
                TraceFlags.getSampled(),
                TraceState.getDefault());
        return builder(message, name, start)
                .setParent(Context.root().with(Span.wrap(parent)))
                .setSpanKind(SpanKind.CONSUMER);
    }

    private SpanBuilder builder(TracedMessage message, String name, long start) {
        return tracer.spanBuilder(name)
                .setStartTimestamp(start, TimeUnit.NANOSECONDS)
                .setAttribute(ROOM, message.room())
                .setAttribute(PARTITION, (long) message.partition())
                .setAttribute(POSITION, message.position());
    }
}
