/** One WebSocket: frames in, outbox out, close, drain. */
@NullMarked
package chat.server.session;

import org.jspecify.annotations.NullMarked;
