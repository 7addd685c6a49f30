/** Writes a batch and the position it ends at in one PostgreSQL transaction. */
@NullMarked
package chat.persistence.store;

import org.jspecify.annotations.NullMarked;
