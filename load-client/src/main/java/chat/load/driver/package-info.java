/**
 * The sockets: one member per WebSocket, all members of a room on one event loop, and a record of what they received.
 */
@NullMarked
package chat.load.driver;

import org.jspecify.annotations.NullMarked;
