/** Shows what could not become rows, and stores it again or puts it aside when somebody says so. */
@NullMarked
package chat.persistence.deadletter;

import org.jspecify.annotations.NullMarked;
