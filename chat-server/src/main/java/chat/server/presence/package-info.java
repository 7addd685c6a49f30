/** Tracks the members of rooms on all servers: derived from the log alone, and corrected when a server times out. */
@NullMarked
package chat.server.presence;

import org.jspecify.annotations.NullMarked;
