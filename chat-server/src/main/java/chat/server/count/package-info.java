/** Counters that several packages share. */
@NullMarked
package chat.server.count;

import org.jspecify.annotations.NullMarked;
