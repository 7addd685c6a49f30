/** Parses the metrics of programs. */
@NullMarked
package chat.kit.metrics;

import org.jspecify.annotations.NullMarked;
