/** What programs tell of their metrics, read. */
@NullMarked
package chat.kit.metrics;

import org.jspecify.annotations.NullMarked;
