/** Compares several chat servers with one, in pairs of runs. */
@NullMarked
package chat.bench.pairs;

import org.jspecify.annotations.NullMarked;
