/** Profiling in production: a flight recording of the program, started and fetched over its management port. */
@NullMarked
package chat.profiling;

import org.jspecify.annotations.NullMarked;
