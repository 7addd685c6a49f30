/**
 * Decides which clients get a socket and how fast they may send: handshake rules, connection limits, rate limits, and
 * the overload guard. A rejected client costs no memory here.
 */
@NullMarked
package chat.server.admission;

import org.jspecify.annotations.NullMarked;
