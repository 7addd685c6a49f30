/** Who is in which room on this server, and the delivery of what the log says to them. */
@NullMarked
package chat.server.room;

import org.jspecify.annotations.NullMarked;
