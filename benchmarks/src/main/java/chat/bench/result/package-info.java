/** Writes results to files. */
@NullMarked
package chat.bench.result;

import org.jspecify.annotations.NullMarked;
