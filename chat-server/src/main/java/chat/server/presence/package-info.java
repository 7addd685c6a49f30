/** Who is in which room, on all servers together: derived from the log alone, and corrected when a server dies. */
@NullMarked
package chat.server.presence;

import org.jspecify.annotations.NullMarked;
