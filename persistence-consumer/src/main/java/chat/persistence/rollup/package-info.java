/** Counts stored messages exactly once, outside the ingest: per user, room, pair of both, and span of time. */
@NullMarked
package chat.persistence.rollup;

import org.jspecify.annotations.NullMarked;
