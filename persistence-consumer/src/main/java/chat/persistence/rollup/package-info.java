/** Counts what is stored, exactly once and off the writer's way: per user, room, pair of both, and span of time. */
@NullMarked
package chat.persistence.rollup;

import org.jspecify.annotations.NullMarked;
