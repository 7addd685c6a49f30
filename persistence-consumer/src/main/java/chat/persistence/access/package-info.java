/** Who asks over REST, and what it may be told. */
@NullMarked
package chat.persistence.access;

import org.jspecify.annotations.NullMarked;
