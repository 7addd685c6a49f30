/** Whoever asks for a socket shows a token first: where it stands in the request, and what is answered without one. */
@NullMarked
package chat.server.token;

import org.jspecify.annotations.NullMarked;
