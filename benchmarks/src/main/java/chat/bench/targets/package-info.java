/** Measures the performance targets of Confab. */
@NullMarked
package chat.bench.targets;

import org.jspecify.annotations.NullMarked;
