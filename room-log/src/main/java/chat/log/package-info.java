/**
 * The ordered log that all servers share: the port {@link chat.log.RoomLog}, what an entry is, and how one partition is
 * read without gap or repetition and written in order whatever breaks.
 */
@NullMarked
package chat.log;

import org.jspecify.annotations.NullMarked;
