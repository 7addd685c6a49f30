/** Serves WebSockets: upgrade, incoming frames, outbox, close handshake and drain. */
@NullMarked
package chat.server.session;

import org.jspecify.annotations.NullMarked;
