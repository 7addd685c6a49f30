/** The user of a session and the rooms its token allows: checked for each JOIN and TEXT, replaced by a new token. */
@NullMarked
package chat.server.identity;

import org.jspecify.annotations.NullMarked;
