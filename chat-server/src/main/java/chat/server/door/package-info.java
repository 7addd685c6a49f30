/** The door: who gets no socket is told so here, before anything is kept for it. */
@NullMarked
package chat.server.door;

import org.jspecify.annotations.NullMarked;
