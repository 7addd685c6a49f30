/** Rooms of this server: membership, delivery from the log, catch-up, deduplication. */
@NullMarked
package chat.server.room;

import org.jspecify.annotations.NullMarked;
