/** One frame in, one reply or none: decoded, checked, stamped, encoded once and handed to the log. */
@NullMarked
package chat.server.intake;

import org.jspecify.annotations.NullMarked;
