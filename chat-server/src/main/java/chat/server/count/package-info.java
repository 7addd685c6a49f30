/** Counters that several packages have in common. */
@NullMarked
package chat.server.count;

import org.jspecify.annotations.NullMarked;
