/** Starts whole platforms and runs loads on them. */
@NullMarked
package chat.bench.platform;

import org.jspecify.annotations.NullMarked;
