/** How fast the consumer answers questions about many messages while more come in, and what keeping the figures costs. */
@NullMarked
package chat.bench.asking;

import org.jspecify.annotations.NullMarked;
