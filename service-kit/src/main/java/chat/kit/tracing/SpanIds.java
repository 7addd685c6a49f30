package chat.kit.tracing;

import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.api.trace.TraceId;
import io.opentelemetry.sdk.trace.IdGenerator;
import org.jspecify.annotations.Nullable;

/** Generates span ids: random ones, except for the span of a frame, whose ids derive from its message. */
final class SpanIds implements IdGenerator {
    /** The frame whose span this thread starts. */
    private static final ThreadLocal<@Nullable TracedMessage> FRAME = new ThreadLocal<>();

    private final IdGenerator random = IdGenerator.random();

    /** Starts spans with the ids of this frame. */
    void during(TracedMessage message, Runnable beginning) {
        FRAME.set(message);
        try {
            beginning.run();
        } finally {
            FRAME.remove();
        }
    }

    static String traceId(TracedMessage message) {
        return TraceId.fromLongs(message.idHigh(), message.idLow());
    }

    static String frameSpanId(TracedMessage message) {
        return SpanId.fromLong(message.frameSpan());
    }

    @Override
    public String generateTraceId() {
        TracedMessage message = FRAME.get();
        return message == null ? random.generateTraceId() : traceId(message);
    }

    @Override
    public String generateSpanId() {
        TracedMessage message = FRAME.get();
        return message == null ? random.generateSpanId() : frameSpanId(message);
    }
}
