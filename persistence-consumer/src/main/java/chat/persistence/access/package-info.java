/** Authenticates and authorizes REST callers. */
@NullMarked
package chat.persistence.access;

import org.jspecify.annotations.NullMarked;
