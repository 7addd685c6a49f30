/** Injects faults into a platform under load, and compares what clients and database have afterwards, id by id. */
@NullMarked
package chat.launcher.chaos;

import org.jspecify.annotations.NullMarked;
