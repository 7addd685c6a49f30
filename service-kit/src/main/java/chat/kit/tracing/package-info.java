/** Traces a sample of messages through all programs and exports the traces to an OpenTelemetry collector. */
@NullMarked
package chat.kit.tracing;

import org.jspecify.annotations.NullMarked;
