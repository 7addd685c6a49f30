/** Starts the whole platform on one machine: in one process, or as the processes of production. */
@NullMarked
package chat.launcher;

import org.jspecify.annotations.NullMarked;
