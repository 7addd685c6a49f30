/** Lists messages that could not become rows, and replays or discards them on request. */
@NullMarked
package chat.persistence.deadletter;

import org.jspecify.annotations.NullMarked;
