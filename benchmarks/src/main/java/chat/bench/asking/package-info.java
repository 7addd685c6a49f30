/** Measures the consumer's queries on many messages while more are stored, and the cost of maintaining the roll-ups. */
@NullMarked
package chat.bench.asking;

import org.jspecify.annotations.NullMarked;
