/** Measures what processes use. */
@NullMarked
package chat.bench.process;

import org.jspecify.annotations.NullMarked;
