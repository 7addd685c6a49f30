/** The way of a few messages through all programs, told to a collector of OpenTelemetry traces. */
@NullMarked
package chat.kit.tracing;

import org.jspecify.annotations.NullMarked;
