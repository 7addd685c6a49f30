/** Handles the frames of a session: decodes, checks, limits, stamps and encodes them, and hands them to the log. */
@NullMarked
package chat.server.intake;

import org.jspecify.annotations.NullMarked;
